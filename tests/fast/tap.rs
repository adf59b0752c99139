//! Stands between a client and a server on loopback, hands on every byte, and keeps each exchange whole.
//! Must not know: GitHub. What was asked and answered is judged elsewhere.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One request with its answer, both as they were on the wire.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub method: String,
    /// Path and query, encoded as sent.
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    pub status: u16,
    pub answer: Vec<u8>,
    /// When the request was here whole, and when its answer was.
    pub asked: Instant,
    pub answered: Instant,
}

impl Exchange {
    /// Whether it went to the store that downloads redirect to.
    pub fn is_download(&self) -> bool {
        self.target.starts_with("/_blob/")
    }
}

pub struct Tap {
    address: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    exchanges: Mutex<Vec<Exchange>>,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Tap {
    /// Before `server`, an address such as `http://127.0.0.1:4020`.
    pub fn before(server: &str) -> Tap {
        let server = server.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let tap = Tap { address: format!("http://127.0.0.1:{port}"), seen: Arc::clone(&seen) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, server) = (Arc::clone(&seen), server.clone());
                std::thread::spawn(move || {
                    // One that the client closed before it dialled this one is counted out first.
                    std::thread::sleep(Duration::from_millis(20));
                    seen.most.fetch_max(seen.open.fetch_add(1, SeqCst) + 1, SeqCst);
                    let _ = carry(&stream, &server, port, &seen);
                    let _ = stream.shutdown(Shutdown::Both);
                    seen.open.fetch_sub(1, SeqCst);
                });
            }
        });
        tap
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Every exchange that came to its end, in the order of the answers.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.seen.exchanges.lock().unwrap().clone()
    }

    /// Connections that stood at the same time, at most.
    pub fn connections(&self) -> usize {
        self.seen.most.load(SeqCst)
    }
}

/// Carries exchanges until either side ends.
fn carry(client: &TcpStream, server: &str, port: u16, seen: &Seen) -> std::io::Result<()> {
    let upstream = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    upstream.set_nodelay(true)?;
    let (mut from_client, mut from_server) = (BufReader::new(client.try_clone()?), BufReader::new(upstream.try_clone()?));
    loop {
        let Some(request) = Message::read(&mut from_client)? else { return Ok(()) };
        let asked = Instant::now();
        (&upstream).write_all(&request.bytes())?;
        let Some(mut answer) = Message::read(&mut from_server)? else { return Ok(()) };
        // Downloads are seen as well: they lie under the server's second name.
        if let Some(place) = answer.header("location").map(str::to_owned) {
            let own = server.rsplit(':').next().unwrap_or_default();
            answer.set("location", place.replacen(&format!("localhost:{own}/"), &format!("localhost:{port}/"), 1));
        }
        let bytes = answer.bytes();
        let mut words = request.first.split(' ');
        let exchange = Exchange {
            method: words.next().unwrap_or_default().to_owned(),
            target: words.next().unwrap_or_default().to_owned(),
            headers: request.map(),
            status: answer.first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0),
            body: request.body,
            answer: answer.body,
            asked,
            answered: Instant::now(),
        };
        seen.exchanges.lock().unwrap().push(exchange);
        (&*client).write_all(&bytes)?;
    }
}

/// One HTTP/1.1 message whose body has a stated length.
struct Message {
    first: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Message {
    /// `None` where the other side is done.
    fn read(from: &mut impl BufRead) -> std::io::Result<Option<Message>> {
        let mut first = String::new();
        if from.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let mut message = Message { first: first.trim_end().to_owned(), headers: Vec::new(), body: Vec::new() };
        loop {
            let mut line = String::new();
            from.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            message.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        assert!(message.header("transfer-encoding").is_none(), "a tap carries bodies of a stated length only");
        let length = message.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        message.body = vec![0; length];
        from.read_exact(&mut message.body)?;
        Ok(Some(message))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn set(&mut self, name: &str, value: String) {
        self.headers.iter_mut().filter(|(known, _)| known == name).for_each(|(_, old)| old.clone_from(&value));
    }

    fn map(&self) -> BTreeMap<String, String> {
        self.headers.iter().cloned().collect()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = format!("{}\r\n", self.first).into_bytes();
        for (name, value) in &self.headers {
            out.extend(format!("{name}: {value}\r\n").bytes());
        }
        out.extend(b"\r\n");
        out.extend(&self.body);
        out
    }
}
