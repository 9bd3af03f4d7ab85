yes ""
