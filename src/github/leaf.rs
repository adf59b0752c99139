//! The leaf that reaches the network: hyper over TCP and rustls, directly or through a tunnelling proxy.
//! Must not know: GitHub.

use super::layers::{Answering, Call, Raw, always_ready, is_read};
use super::settings::{Proxy, Settings};
use super::trouble::{Failure, deepest};
use crate::core::trouble::{Trouble, TroubleKind};
use http::Uri;
use http_body_util::BodyExt;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use octocrab::OctoBody;
use rustls::ClientConfig;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{BoxError, Service};

type Connector = HttpsConnector<Route>;

/// Two pools, since a write must not start on a connection that the other side may just be closing: that would leave
/// its outcome unclear for nothing. Each write opens its own, so that "could not connect" is certain.
#[derive(Clone)]
pub struct Network {
    reads: Client<Connector, OctoBody>,
    writes: Client<Connector, OctoBody>,
}

impl Network {
    /// Reads the system's certificate authorities; having none is an error only for an https base.
    pub fn new(settings: &Settings) -> Result<Network, Trouble> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(settings.limits.connect));
        let route = Route { direct: tcp, proxies: proxies(&settings.proxy)? };
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(settings.base.is_https())?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(route);
        let reads = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .build(connector.clone());
        let writes =
            Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).retry_canceled_requests(false).build(connector);
        Ok(Network { reads, writes })
    }
}

impl Service<Call> for Network {
    type Response = Raw;
    type Error = Failure;
    type Future = Answering<Raw>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        let host = call.uri().host().unwrap_or("the host").to_owned();
        let client = if is_read(call.method()) { &self.reads } else { &self.writes };
        let answering = client.request(call);
        Box::pin(async move {
            match answering.await {
                Ok(answer) => Ok(answer.map(|body| body.map_err(BoxError::from).boxed_unsync())),
                Err(error) if error.is_connect() => Err(Failure::unconnected(&host, &error)),
                Err(error) => Err(Failure::cut(&host, &error)),
            }
        })
    }
}

fn tls(required: bool) -> Result<ClientConfig, Trouble> {
    let refuse = |error: &(dyn std::error::Error + 'static)| {
        Trouble::new(
            TroubleKind::Network,
            format!("This machine's certificate authorities cannot be read: {}.", deepest(error)),
            "Install the package ca-certificates, or name a file in SSL_CERT_FILE.",
        )
    };
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| refuse(&error))
    };
    match builder()?.with_native_roots() {
        Ok(config) => Ok(config.with_no_client_auth()),
        Err(error) if required => Err(refuse(&error)),
        Err(_) => Ok(builder()?.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()),
    }
}

fn proxies(proxy: &Proxy) -> Result<Option<Arc<Matcher>>, Trouble> {
    if proxy.https.trim().is_empty() {
        return Ok(None);
    }
    let address = proxy.https.trim();
    if address.contains("://") && !address.starts_with("http://") {
        return Err(Trouble::new(
            TroubleKind::Network,
            "The proxy in HTTPS_PROXY is not an http address.",
            "Give it as http://HOST:PORT; https and socks proxies are not supported.",
        ));
    }
    Ok(Some(Arc::new(Matcher::builder().https(address.to_owned()).no(proxy.no.clone()).build())))
}

/// Opens the connection: straight, or by a tunnel through the proxy that fits the address. http, which is loopback
/// only, never meets a proxy.
#[derive(Clone)]
pub struct Route {
    direct: HttpConnector,
    proxies: Option<Arc<Matcher>>,
}

impl Service<Uri> for Route {
    type Response = <HttpConnector as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Service::poll_ready(&mut self.direct, cx).map_err(BoxError::from)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.as_ref().and_then(|proxies| proxies.intercept(&to)) else {
            let connecting = self.direct.call(to);
            return Box::pin(async move { connecting.await.map_err(BoxError::from) });
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let connecting = tunnel.call(to);
        Box::pin(async move { connecting.await.map_err(BoxError::from) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_proxies_are_taken() {
        let proxy = |https: &str| Proxy { https: https.into(), no: "localhost".into() };
        assert!(proxies(&proxy("")).unwrap().is_none());
        let matcher = proxies(&proxy("http://user:word@proxy.example:3128")).unwrap().unwrap();
        let through = matcher.intercept(&Uri::from_static("https://api.github.com")).unwrap();
        assert_eq!(through.uri().to_string(), "http://proxy.example:3128/");
        assert!(through.basic_auth().is_some());
        assert!(matcher.intercept(&Uri::from_static("http://127.0.0.1:1")).is_none());
        for bad in ["https://user:word@proxy", "socks5://user:word@proxy"] {
            let trouble = proxies(&proxy(bad)).err().unwrap();
            assert!(!trouble.headline.contains("word"));
        }
    }
}
