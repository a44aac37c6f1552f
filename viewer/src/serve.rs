//! A server for one page, reachable from this machine only.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use riprap::{Problem, Result};

/// A request for the page has no reason to be longer.
const LONGEST_REQUEST: usize = 16 << 10;
/// Nor to be slower: this is all on one machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// Browsers open a few connections at once and leave some of them unused.
const MOST_CONNECTIONS: usize = 32;

/// A page waiting for visitors at `http://127.0.0.1`, at a port that was free.
pub struct Server {
    listener: TcpListener,
    port: u16,
    page: Arc<str>,
}

/// Makes a page available until the process ends.
///
/// ```
/// let server = riprap_viewer::serve("<!doctype html>".into())?;
/// assert!(server.address().starts_with("http://127.0.0.1:"));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn serve(page: String) -> Result<Server> {
    let listen = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok(Server { listener, port, page: page.into() })
    };
    listen().map_err(|error: std::io::Error| {
        Problem::new(format!("cannot serve the page on this machine: {error}"))
            .help("write the page to a file instead: `riprap view RUN -o FILE.html`")
    })
}

impl Server {
    /// What to type into the browser.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers visitors for ever.
    pub fn run(&self) -> ! {
        loop {
            self.answer_next();
        }
    }

    /// Takes the next visitor and answers in the background. Visitors that
    /// cannot be answered are none of our business: they will ask again.
    fn answer_next(&self) {
        let Ok((stream, _)) = self.listener.accept() else {
            // Out of file handles, most likely: give the others time to finish.
            return std::thread::sleep(Duration::from_millis(50));
        };
        let page = Arc::clone(&self.page);
        // The page is shared with every connection under way.
        if Arc::strong_count(&page) <= MOST_CONNECTIONS + 1 {
            let port = self.port;
            std::thread::spawn(move || answer(stream, &page, port));
        }
    }
}

/// Reads one request and answers it; a broken connection is silently dropped.
fn answer(mut stream: TcpStream, page: &str, port: u16) {
    let timed = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    if timed.is_ok() {
        let request = read_request(&mut stream);
        let reply = reply(request.as_deref(), page, port);
        let _ = stream.write_all(reply.head().as_bytes());
        let _ = stream.write_all(reply.body.as_bytes());
    }
}

/// The head of a request; None if it is too long, too slow or not text.
fn read_request(stream: &mut impl Read) -> Option<String> {
    let start = Instant::now();
    let mut request = Vec::new();
    let mut chunk = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut chunk).ok()?;
        request.extend(&chunk[..count]);
        if count == 0 || request.len() > LONGEST_REQUEST || start.elapsed() > PATIENCE {
            return None;
        }
    }
    String::from_utf8(request).ok()
}

#[derive(Debug, PartialEq)]
struct Reply<'a> {
    status: &'static str,
    kind: &'static str,
    body: &'a str,
}

impl Reply<'_> {
    fn head(&self) -> String {
        let (status, kind, length) = (self.status, self.kind, self.body.len());
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n\
             Content-Length: {length}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
    }
}

fn reply<'a>(request: Option<&str>, page: &'a str, port: u16) -> Reply<'a> {
    let refuse = |status, body| Reply { status, kind: "text/plain", body };
    let Some(request) = request else {
        return refuse("400 Bad Request", "This is not a request for a page.\n");
    };
    // A foreign site that points its own name at this machine must not read the page.
    if !is_for_us(request, port) {
        return refuse("403 Forbidden", "This server answers to 127.0.0.1 only.\n");
    }
    let mut words = request.split(' ');
    match (words.next(), words.next()) {
        (Some("GET"), Some("/")) => Reply { status: "200 OK", kind: "text/html", body: page },
        (Some("GET"), _) => refuse("404 Not Found", "There is one page here, at /.\n"),
        _ => refuse("405 Method Not Allowed", "This page can only be read.\n"),
    }
}

/// Whether the request names this machine as the one that it wants.
fn is_for_us(request: &str, port: u16) -> bool {
    let hosts = request.lines().skip(1).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then_some(value.trim())
    });
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let hosts: Vec<&str> = hosts.collect();
    matches!(hosts[..], [host] if own.iter().any(|name| name == host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(request: &str) -> &'static str {
        reply(Some(request), "page", 80).status
    }

    #[test]
    fn a_visitor_gets_the_page() {
        let server = serve("<p>größer</p>".into()).unwrap();
        let address = server.address();
        let host = address.trim_start_matches("http://").trim_end_matches('/');
        let mut unused = TcpStream::connect(host).unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        server.answer_next();
        server.answer_next();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html;"), "{answer}");
        assert!(answer.contains("Content-Length: 15\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n<p>größer</p>"), "{answer}");

        write!(unused, "POST / HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        answer.clear();
        unused.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    }

    #[test]
    fn other_requests_are_refused() {
        let own = "\r\nHost: 127.0.0.1:80\r\n\r\n";
        assert_eq!(status(&format!("GET / HTTP/1.1{own}")), "200 OK");
        assert_eq!(status("GET / HTTP/1.1\r\nhost:localhost:80\r\n\r\n"), "200 OK");
        assert_eq!(status(&format!("GET /../secret HTTP/1.1{own}")), "404 Not Found");
        assert_eq!(status(&format!("DELETE / HTTP/1.1{own}")), "405 Method Not Allowed");
        for host in ["\r\nHost: evil.example:80\r\n\r\n", "\r\n\r\n", "\r\nHost: 127.0.0.1:81\r\n"]
        {
            assert_eq!(status(&format!("GET / HTTP/1.1{host}")), "403 Forbidden");
        }
        assert_eq!(reply(None, "page", 80).status, "400 Bad Request");
    }

    #[test]
    fn requests_end() {
        let read = |bytes: &[u8]| read_request(&mut &bytes[..]);
        assert_eq!(read(b"GET /\r\n\r\n").as_deref(), Some("GET /\r\n\r\n"));
        assert_eq!(read(b"GET /\r\n"), None, "cut off");
        assert_eq!(read(b"\xff\r\n\r\n"), None, "not text");
        assert_eq!(read(&[b'x'; 2 * LONGEST_REQUEST]), None, "too long");
    }
}
