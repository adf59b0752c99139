//! The layers between octocrab and the leaf, outermost first: trace, cache, retry, gate, record, host, whole.
//! Must not know: what is asked for, or what answers mean.
//!
//! Every service here is always ready: waiting happens inside the call, so that nothing blocks octocrab's queue.

pub mod cache;
pub mod gate;
pub mod host;
pub mod record;
pub mod retry;
pub mod trace;
pub mod whole;

use super::trouble::Failure;
use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body_util::Full;
use http_body_util::combinators::UnsyncBoxBody;
use octocrab::OctoBody;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tower::{BoxError, Service};

/// A request as octocrab makes it.
pub type Call = Request<OctoBody>;
/// An answer whose body came whole.
pub type Whole = Response<Full<Bytes>>;
/// An answer whose body is still to come; only leaves give it.
pub type Raw = Response<UnsyncBoxBody<Bytes, BoxError>>;
/// What a layer's call returns.
pub type Answering<R> = Pin<Box<dyn Future<Output = Result<R, Failure>> + Send>>;

/// A service that answers with whole bodies: what every layer but the innermost stands on.
pub trait Inner:
    Service<Call, Response = Whole, Error = Failure, Future = Answering<Whole>> + Clone + Send + Sync + 'static
{
}
impl<S> Inner for S where
    S: Service<Call, Response = Whole, Error = Failure, Future = Answering<Whole>> + Clone + Send + Sync + 'static
{
}

/// A service at the bottom: the network, or a recording.
pub trait Leaf:
    Service<Call, Response = Raw, Error = Failure, Future = Answering<Raw>> + Clone + Send + Sync + 'static
{
}
impl<S> Leaf for S where
    S: Service<Call, Response = Raw, Error = Failure, Future = Answering<Raw>> + Clone + Send + Sync + 'static
{
}

/// How many answers a request had to wait for, counting its own: 1 for the first page, 2 for the pages it names.
#[derive(Debug, Clone, Copy)]
pub struct Level(pub u32);

/// Whether repeating the request changes nothing at the other end.
pub fn is_read(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

/// The same read once more.
pub fn repeat(parts: &Parts) -> Call {
    Request::from_parts(parts.clone(), OctoBody::empty())
}

/// Takes a lock; what it guards stays sound when a holder panicked, since each change is one assignment.
pub fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes `poll_ready` of a service that is always ready.
macro_rules! always_ready {
    () => {
        fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
            std::task::Poll::Ready(Ok(()))
        }
    };
}
pub(crate) use always_ready;

/// Takes a whole answer apart; the body stays cheap to clone.
pub fn take(answer: Whole) -> (http::response::Parts, Bytes) {
    let (parts, body) = answer.into_parts();
    (parts, body.into_inner().unwrap_or_default())
}

#[cfg(test)]
pub mod testing {
    //! A service made of a closure, to stand under one layer.

    use super::*;
    use std::sync::Arc;

    type Script = Arc<dyn Fn(u32, &Call) -> Result<Whole, Failure> + Send + Sync>;

    /// Answers by a closure over the number of the call (from 0), and counts.
    #[derive(Clone)]
    pub struct Fake {
        pub calls: Arc<Mutex<Vec<String>>>,
        script: Script,
    }

    impl Fake {
        pub fn new(script: impl Fn(u32, &Call) -> Result<Whole, Failure> + Send + Sync + 'static) -> Fake {
            Fake { calls: Arc::default(), script: Arc::new(script) }
        }

        pub fn seen(&self) -> Vec<String> {
            hold(&self.calls).clone()
        }
    }

    impl Service<Call> for Fake {
        type Response = Whole;
        type Error = Failure;
        type Future = Answering<Whole>;
        always_ready!();

        fn call(&mut self, call: Call) -> Self::Future {
            let number = {
                let mut calls = hold(&self.calls);
                calls.push(format!("{} {}", call.method(), call.uri()));
                calls.len() as u32 - 1
            };
            let answer = (self.script)(number, &call);
            Box::pin(async move {
                tokio::task::yield_now().await;
                answer
            })
        }
    }

    pub fn call(method: &str, uri: &str) -> Call {
        Request::builder().method(method).uri(uri).body(OctoBody::empty()).unwrap()
    }

    pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Whole {
        let mut builder = Response::builder().status(status);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Full::from(body.to_owned())).unwrap()
    }
}
