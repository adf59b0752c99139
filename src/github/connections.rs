//! Connections to hosts: each carries one request at a time and is kept for the next one to the same host.
//!
//! hyper's own pool dials beside the wait for an idle connection and keeps both, so that eight requests at once end with
//! ten connections. Here an idle one is always taken first, and makes room before another host is dialled.
//! Must not know: GitHub, what is asked for.

use super::layers::{Call, Raw, hold, is_read};
use super::trouble::Failure;
use bytes::Bytes;
use http::header::HOST;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Uri};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use octocrab::OctoBody;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::{BoxError, Service, ServiceExt};

/// Connections to all hosts together, as long as no more requests are under way: waiting is the gate's.
pub const MOST: usize = super::layers::gate::WIDTH as usize;
/// An idle connection may be forgotten on its way (by a router, a proxy) without a word; an old one is not tried.
const IDLE: Duration = Duration::from_secs(30);

/// Opens a byte stream to the scheme and authority of an address.
pub trait Dial:
    Service<Uri, Response: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static, Error = BoxError, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
}
impl<S> Dial for S where
    S: Service<Uri, Response: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static, Error = BoxError, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static
{
}

#[derive(Clone)]
pub struct Connections<D> {
    dial: D,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    /// Least recently used first.
    idle: Vec<Connection>,
    /// Requests under way, each with a connection or about to have one.
    busy: usize,
}

struct Connection {
    to: (Scheme, Authority),
    sender: SendRequest<OctoBody>,
    driver: JoinHandle<()>,
    used: Instant,
}

impl Connection {
    fn is_fresh(&self) -> bool {
        !self.sender.is_closed() && self.used.elapsed() < IDLE
    }

    /// Ends with the socket closed.
    async fn close(self) {
        self.driver.abort();
        let _ = self.driver.await;
    }
}

/// Counts its request as under way.
struct Busy(Arc<Mutex<Kept>>);

impl Busy {
    fn new(kept: &Arc<Mutex<Kept>>) -> Busy {
        hold(kept).busy += 1;
        Busy(Arc::clone(kept))
    }

    /// The request is over, and its connection free for another.
    fn keep(self, mut connection: Connection) {
        connection.used = Instant::now();
        hold(&self.0).idle.push(connection);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        hold(&self.0).busy -= 1;
    }
}

impl<D: Dial> Connections<D> {
    pub fn new(dial: D) -> Connections<D> {
        Connections { dial, kept: Arc::default() }
    }

    /// Sends a request with an absolute address; its answer's body, read to the end, frees the connection.
    ///
    /// A write has a connection of its own: one that the other side may just be closing would leave its outcome unclear
    /// for nothing. So "could not connect" is certain.
    pub async fn send(&self, mut call: Call) -> Result<Raw, Failure> {
        let host = call.uri().host().unwrap_or("the host").to_owned();
        let to = to_origin_form(&mut call).map_err(|error| Failure::unconnected(&host, error.as_ref()))?;
        let is_read = is_read(call.method());
        let busy = Busy::new(&self.kept);
        loop {
            let kept = if is_read { self.idle(&to) } else { None };
            let reused = kept.is_some();
            let mut connection = match kept {
                Some(kept) => kept,
                None => self.open(&to).await.map_err(|error| Failure::unconnected(&host, error.as_ref()))?,
            };
            if connection.sender.ready().await.is_err() && reused {
                continue;
            }
            match connection.sender.try_send_request(call).await {
                Ok(answer) => {
                    return Ok(answer.map(|body| Carried { body, then: Some((connection, busy, is_read)) }.boxed_unsync()));
                }
                Err(mut error) => match error.take_message() {
                    // Closed before a byte was written: a matter of this connection alone.
                    Some(unsent) if reused => call = unsent,
                    _ => return Err(Failure::cut(&host, &error.into_error())),
                },
            }
        }
    }

    /// The most recently used idle connection to that place.
    fn idle(&self, to: &(Scheme, Authority)) -> Option<Connection> {
        let idle = &mut hold(&self.kept).idle;
        let at = idle.iter().rposition(|connection| connection.to == *to && connection.is_fresh())?;
        Some(idle.remove(at))
    }

    /// Makes room, then dials.
    async fn open(&self, to: &(Scheme, Authority)) -> Result<Connection, BoxError> {
        while let Some(surplus) = self.surplus() {
            surplus.close().await;
        }
        let place = Uri::builder().scheme(to.0.clone()).authority(to.1.clone()).path_and_query("/").build()?;
        let stream = self.dial.clone().oneshot(place).await?;
        let (sender, connection) = handshake(stream).await?;
        // What ends a connection is told by its sender too.
        let driver = tokio::spawn(async move { drop(connection.await) });
        Ok(Connection { to: to.clone(), sender, driver, used: Instant::now() })
    }

    /// An idle connection that is too old, or one too many.
    fn surplus(&self) -> Option<Connection> {
        let mut kept = hold(&self.kept);
        let full = kept.idle.len() + kept.busy > MOST;
        let at = kept.idle.iter().position(|connection| full || !connection.is_fresh())?;
        Some(kept.idle.remove(at))
    }
}

/// Turns `https://host/path` into `/path` with a Host header, as HTTP/1.1 wants it, and tells where it goes.
fn to_origin_form(call: &mut Call) -> Result<(Scheme, Authority), BoxError> {
    let mut parts = call.uri().clone().into_parts();
    let (Some(scheme), Some(authority)) = (parts.scheme.take(), parts.authority.take()) else {
        return Err("the address names no host".into());
    };
    if !call.headers().contains_key(HOST) {
        let standard = if scheme == Scheme::HTTPS { 443 } else { 80 };
        let host = match authority.port_u16() {
            Some(port) if port != standard => format!("{}:{port}", authority.host()),
            _ => authority.host().to_owned(),
        };
        call.headers_mut().insert(HOST, HeaderValue::try_from(host)?);
    }
    *call.uri_mut() = Uri::from(parts.path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/")));
    Ok((scheme, authority))
}

/// A body that gives its connection back at its end. Dropped before, or broken, it takes the connection along.
struct Carried {
    body: Incoming,
    /// With whether the connection may carry another request.
    then: Option<(Connection, Busy, bool)>,
}

impl Body for Carried {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none()
            && let Some((connection, busy, true)) = self.then.take()
        {
            busy.keep(connection);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // both ends of the wire stand here

    use super::super::layers::testing::call;
    use super::*;
    use hyper_util::rt::TokioIo;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// A place that answers `ok`, and what it saw.
    #[derive(Default)]
    struct Seen {
        accepted: AtomicUsize,
        open: AtomicUsize,
        most: AtomicUsize,
        /// Answers after which a connection is closed without a word; 0 for never.
        patience: usize,
    }

    async fn place(patience: usize) -> (String, Arc<Seen>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Seen { patience, ..Seen::default() });
        let all = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let seen = Arc::clone(&all);
                seen.accepted.fetch_add(1, SeqCst);
                seen.most.fetch_max(seen.open.fetch_add(1, SeqCst) + 1, SeqCst);
                tokio::spawn(async move {
                    let _ = serve(stream, seen.patience).await;
                    seen.open.fetch_sub(1, SeqCst);
                });
            }
        });
        (address, seen)
    }

    async fn serve(mut stream: TcpStream, patience: usize) -> std::io::Result<()> {
        let (mut head, mut answers) = (Vec::new(), 0);
        while stream.read_buf(&mut head).await? > 0 {
            if head.ends_with(b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&head).into_owned();
                assert!(text.split(' ').nth(1).unwrap().starts_with('/') && text.contains("host: 127.0.0.1:"), "{text}");
                head.clear();
                tokio::time::sleep(Duration::from_millis(5)).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await?;
                answers += 1;
                if answers == patience {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn connections() -> Connections<impl Dial> {
        Connections::new(tower::service_fn(|to: Uri| async move {
            let stream = TcpStream::connect(to.authority().unwrap().as_str()).await?;
            Ok::<_, BoxError>(TokioIo::new(stream))
        }))
    }

    async fn ask(connections: &Connections<impl Dial>, method: &str, address: &str) -> Result<Bytes, Failure> {
        let answer = connections.send(call(method, &format!("http://{address}/a?b=c"))).await?;
        Ok(answer.into_body().collect().await.unwrap().to_bytes())
    }

    #[tokio::test]
    async fn eight_at_once_are_eight_connections_however_many_follow() {
        let (address, seen) = place(0).await;
        let connections = connections();
        let one_after_the_other = |_| async {
            for _ in 0..20 {
                assert_eq!(ask(&connections, "GET", &address).await.unwrap(), "ok");
            }
        };
        futures::future::join_all((0..MOST).map(one_after_the_other)).await;
        assert_eq!((seen.accepted.load(SeqCst), seen.most.load(SeqCst)), (MOST, MOST));
    }

    #[tokio::test]
    async fn another_host_finds_room() {
        let ((first, one), (second, two)) = (place(0).await, place(0).await);
        let connections = connections();
        futures::future::join_all((0..MOST).map(|_| ask(&connections, "GET", &first))).await;
        for _ in 0..3 {
            assert_eq!(ask(&connections, "GET", &second).await.unwrap(), "ok");
        }
        assert_eq!(two.accepted.load(SeqCst), 1, "kept as well");
        while one.open.load(SeqCst) >= MOST {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(hold(&connections.kept).idle.len(), MOST);
        assert_eq!(hold(&connections.kept).busy, 0);
    }

    #[tokio::test]
    async fn each_write_has_a_connection_of_its_own() {
        let (address, seen) = place(0).await;
        let connections = connections();
        for method in ["GET", "POST", "PATCH", "GET"] {
            assert_eq!(ask(&connections, method, &address).await.unwrap(), "ok");
        }
        assert_eq!(seen.accepted.load(SeqCst), 3);
        assert_eq!(hold(&connections.kept).idle.len(), 1);
    }

    #[tokio::test]
    async fn a_connection_that_was_closed_is_replaced_and_an_unread_answer_takes_its_own_along() {
        let (address, seen) = place(1).await;
        let connections = connections();
        for asked in 1..=5 {
            assert_eq!(ask(&connections, "GET", &address).await.unwrap(), "ok");
            assert_eq!(seen.accepted.load(SeqCst), asked);
            while hold(&connections.kept).idle.iter().any(Connection::is_fresh) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        let (address, _) = place(0).await;
        drop(connections.send(call("GET", &format!("http://{address}/"))).await.unwrap());
        assert!(hold(&connections.kept).idle.iter().all(|kept| kept.to.1.as_str() != address));
        assert_eq!(hold(&connections.kept).busy, 0);
    }

    #[tokio::test]
    async fn where_nobody_listens_nothing_was_done() {
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
        let failure = ask(&connections(), "POST", &gone).await.unwrap_err();
        assert_eq!(failure.certainty, super::super::trouble::Certainty::NotDone);
    }
}
