//! The leaf that reaches the network: hyper over TCP and rustls, directly or through a tunnelling proxy.
//! Must not know: GitHub.

use super::connections::Connections;
use super::layers::{Answering, Call, Raw, always_ready};
use super::settings::{Proxy, Settings};
use super::trouble::{Failure, deepest, one_line};
use crate::core::trouble::{Trouble, TroubleKind};
use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::{BoxError, Service};

#[derive(Clone)]
pub struct Network {
    connections: Connections<HttpsConnector<Route>>,
}

impl Network {
    /// Reads certificate authorities; having none is an error only for an https base.
    pub fn new(settings: &Settings) -> Result<Network, Trouble> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(settings.limits.connect));
        let route = Route { direct: tcp, proxies: proxies(&settings.proxy)? };
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls(settings)?).https_or_http().enable_http1().wrap_connector(route);
        Ok(Network { connections: Connections::new(connector) })
    }
}

impl Service<Call> for Network {
    type Response = Raw;
    type Error = Failure;
    type Future = Answering<Raw>;
    always_ready!();

    fn call(&mut self, call: Call) -> Self::Future {
        let connections = self.connections.clone();
        Box::pin(async move { connections.send(call).await })
    }
}

/// Trusts the system's authorities and those of the settings.
fn tls(settings: &Settings) -> Result<ClientConfig, Trouble> {
    let refuse = |why: String| {
        Trouble::new(
            TroubleKind::Network,
            format!("This machine's certificate authorities cannot be read: {why}."),
            "Install the package ca-certificates, or name a file in SSL_CERT_FILE or in ca_file of the settings.",
        )
    };
    let system = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(system.certs);
    if let Some(own) = &settings.authorities {
        let unusable = |why: &str| {
            Trouble::new(
                TroubleKind::Network,
                format!("The certificates in {} cannot be used: {why}.", one_line(&own.file)),
                "Give a PEM file: it begins with -----BEGIN CERTIFICATE-----.",
            )
        };
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(&own.pem) {
            let added =
                certificate.map_err(|error| deepest(&error)).and_then(|one| roots.add(one).map_err(|error| deepest(&error)));
            added.map_err(|why| unusable(&why))?;
        }
        if roots.len() == before {
            return Err(unusable("there is none in it"));
        }
    }
    if roots.is_empty() && settings.base.is_https() {
        return Err(refuse(system.errors.first().map_or_else(|| "there are none".to_owned(), |error| deepest(error))));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| refuse(deepest(&error)))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
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
    #![allow(clippy::disallowed_methods)] // both ends of the wire stand here

    use super::*;
    use crate::core::ids::{PullNumber, RepoName};
    use crate::core::plan::Read as Asked;
    use crate::github::{Authorities, Base, Secret};
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    use rustls::pki_types::PrivateKeyDer;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::{Receiver, channel};

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

    const TOKEN: &str = "ghp_SECRETSECRET";

    /// An https server of a company's own authority, for `localhost`: answers each request with `[]` and tells its head.
    struct Company {
        port: u16,
        authority: Vec<u8>,
        heads: Receiver<String>,
    }

    impl Company {
        fn start() -> Company {
            let signer = KeyPair::generate().unwrap();
            let mut parameters = CertificateParams::new(Vec::new()).unwrap();
            parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let authority = parameters.self_signed(&signer).unwrap();
            let key = KeyPair::generate().unwrap();
            let issuer = Issuer::from_params(&parameters, &signer);
            let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
            let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap());
            let config = Arc::new(config.unwrap());
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let (tell, heads) = channel();
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let session = rustls::ServerConnection::new(config.clone()).unwrap();
                    let mut stream = rustls::StreamOwned::new(session, stream);
                    let Ok(head) = head_of(&mut stream) else { continue };
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]");
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                    let _ = tell.send(head);
                }
            });
            Company { port, authority: authority.pem().into_bytes(), heads }
        }

        fn settings(&self, pem: &[u8]) -> Settings {
            let mut settings = Settings::new(Arc::new(crate::core::time::Time::default));
            settings.base = Base::parse(&format!("https://localhost:{}", self.port)).unwrap();
            settings.token = Some(Secret::new(TOKEN));
            settings.authorities = Some(Authorities { file: "ca.pem".into(), pem: pem.to_vec() });
            settings
        }
    }

    /// Bytes up to the empty line.
    fn head_of(stream: &mut impl Read) -> std::io::Result<String> {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&head).into_owned())
    }

    /// A proxy that opens one tunnel after the other to whatever is asked for; tells each head.
    fn proxy() -> (String, Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://user:word@{}", listener.local_addr().unwrap());
        let (tell, heads) = channel();
        std::thread::spawn(move || {
            for mut near in listener.incoming().flatten() {
                let Ok(head) = head_of(&mut near) else { continue };
                let place = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let _ = tell.send(head);
                let Ok(mut far) = TcpStream::connect(&place) else { continue };
                let _ = near.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
                let (mut from, mut to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                let _ = std::io::copy(&mut far, &mut near);
            }
        });
        (address, heads)
    }

    async fn asked(settings: Settings) -> Result<(), Trouble> {
        let repo = RepoName::parse("o/r").unwrap();
        let client = crate::github::Client::network(settings)?;
        client.read(&repo, PullNumber(1), Asked::Comments, &mut |_, _| {}).await.map(|_| ())
    }

    #[tokio::test]
    async fn a_companys_own_authority_is_trusted_where_it_is_named() {
        let (company, stranger) = (Company::start(), Company::start());
        asked(company.settings(&company.authority)).await.unwrap();
        assert!(company.heads.recv().unwrap().contains(TOKEN));
        let both = [stranger.authority.clone(), company.authority.clone()].concat();
        asked(company.settings(&both)).await.unwrap();
        // Unknown: refused before a byte of the request leaves, with the way on.
        let trouble = asked(company.settings(&stranger.authority)).await.unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Network);
        assert!(trouble.headline.contains("certificate") && trouble.hint.contains("ca_file"), "{trouble:?}");
        assert!(!trouble.sentence().contains("SECRET"));
        company.heads.recv().unwrap();
        assert!(company.heads.try_recv().is_err());
    }

    #[test]
    fn certificates_that_cannot_be_used_are_refused_with_their_file() {
        let company = Company::start();
        let broken = String::from_utf8(company.authority.clone()).unwrap().replacen("MII", "MIJ", 1);
        for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n", &broken] {
            let trouble = Network::new(&company.settings(pem.as_bytes())).err().unwrap();
            assert!(trouble.headline.contains("ca.pem") && trouble.hint.contains("PEM"), "{trouble:?}");
        }
    }

    #[tokio::test]
    async fn a_tunnel_leads_to_the_host_and_the_proxy_never_sees_the_token() {
        let (company, (address, tunnels)) = (Company::start(), proxy());
        let mut settings = company.settings(&company.authority);
        settings.proxy = Proxy { https: address, no: String::new() };
        asked(settings.clone()).await.unwrap();
        let tunnel = tunnels.recv().unwrap();
        assert!(tunnel.starts_with(&format!("CONNECT localhost:{} HTTP/1.1\r\n", company.port)), "{tunnel}");
        assert!(tunnel.to_ascii_lowercase().contains("proxy-authorization: basic "), "{tunnel}");
        assert!(!tunnel.contains("SECRET") && !tunnel.contains("Bearer"), "{tunnel}");
        let request = company.heads.recv().unwrap();
        assert!(request.contains(TOKEN) && !request.to_ascii_lowercase().contains("proxy-authorization"), "{request}");
        settings.proxy.no = "localhost".into();
        asked(settings).await.unwrap();
        assert!(company.heads.recv().is_ok() && tunnels.try_recv().is_err(), "NO_PROXY goes round it");
    }
}
