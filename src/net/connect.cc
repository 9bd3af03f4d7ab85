#include "net/connect.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace assay {
namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

Task<std::vector<tcp::endpoint>> addresses(Loop& loop, std::string host, int port) {
  std::vector<tcp::endpoint> out;
  auto number = static_cast<unsigned short>(port);
  if (host == "localhost") {
    out = {{asio::ip::address_v4::loopback(), number}, {asio::ip::address_v6::loopback(), number}};
    co_return out;
  }
  tcp::resolver resolver(loop.io());
  auto [ec, found] = co_await resolver.async_resolve(host, std::to_string(port), asio::as_tuple(asio::use_awaitable));
  if (!ec)
    for (const auto& entry : found)
      out.push_back(entry.endpoint());
  co_return out;
}

}  // namespace

Task<Result<void>> try_connect(Loop& loop, std::string host, int port, CancelToken token) {
  std::string why;
  std::vector<tcp::endpoint> all = co_await addresses(loop, host, port);
  for (const auto& address : all) {
    if (token.cancelled()) break;
    tcp::socket socket(loop.io());
    auto registration = token.on_cancel([&socket] {
      boost::system::error_code ignored;
      socket.close(ignored);
    });
    auto [ec] = co_await socket.async_connect(address, asio::as_tuple(asio::use_awaitable));
    if (!ec) co_return Result<void>();
    if (why.empty()) why = ec.message();
  }
  co_return fail(ErrorKind::kIo, fmt::format("{}:{}: {}", host, port, why.empty() ? "the name is unknown" : why));
}

}  // namespace assay
