#pragma once
#include <string>
#include <utility>
#include <vector>

#include "agent/recorder.h"

namespace assay {

// Hands everything on to a recorder and looks in it for words that belong to somebody else.
class ListeningSink final : public EventSink {
 public:
  using Strangers = std::vector<std::pair<std::string, std::string>>;  // a word, and what it is
  ListeningSink(EventSink& inner, const Strangers& strangers) : inner_(inner), strangers_(strangers) {}

  void on_request(Time at) override { inner_.on_request(at); }
  bool on_event(std::string_view json, Time at) override {
    listen(json);
    return inner_.on_event(json, at);
  }
  std::string refusal() const override { return inner_.refusal(); }
  bool wants_log() const override { return false; }
  void on_log(std::string_view) override {}

  void listen(std::string_view text);
  const std::string& heard() const { return heard_; }  // what the first one is; empty: none

 private:
  EventSink& inner_;
  const Strangers& strangers_;
  std::string heard_;
};

// What all conversations with an endpoint share.
struct ProbeServices {
  Loop& loop;
  Agent& agent;
  EventDecoder& decoder;
  std::mt19937_64& random;
  std::string url;
};

// One conversation with the endpoint under its own thread id.
class ProbeThread {
 public:
  explicit ProbeThread(ProbeServices& services);
  ProbeThread(const ProbeThread&) = delete;
  ProbeThread& operator=(const ProbeThread&) = delete;

  struct Ask {
    std::string text;
    Json before_last = Json::array();    // messages put before the user's
    ListeningSink::Strangers strangers;  // words that must not come back
  };
  struct Answer {
    const Turn* turn = nullptr;  // valid until the next question
    int status = 0;              // of the HTTP response; 0: none came
    std::string stranger;        // what came back though it must not
  };
  Task<Answer> ask(Ask question, CancelToken token);

  const std::string& thread_id() const { return thread_id_; }
  const std::string& run_id() const { return run_id_; }  // of the next question

 private:
  ProbeServices& s_;
  std::string thread_id_;
  std::string run_id_;
  Transcript transcript_;
  Collector collector_;
  Recorder recorder_;
};

}  // namespace assay
