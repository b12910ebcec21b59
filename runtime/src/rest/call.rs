//! One call: built, sent, and its answer told apart from a failure.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};

use super::failure::{hidden_failure, is_success, status};
use super::{Query, RestClient, Target};
use crate::error::{CallContext, Error, ErrorKind};
use crate::meta::List;
use crate::record::Value;
use crate::resource::Resource;
use crate::transport::{Body, CallKind, Headers, Method, Request, Response};
use crate::wire::{DecodeError, EncodeError, Format, ItemError, ListError, ListReader, Mode, Wire, cbor};

/// A failed answer is read up to this many bytes.
pub(super) const MAX_FAILURE: usize = 4 << 20;

/// A call under construction.
///
/// The request structs of each verb are built on it; it is public for verbs that none of them covers.
#[derive(Clone, Debug)]
pub struct Call {
    client: RestClient,
    verb: &'static str,
    method: Method,
    target: Target,
    name: Option<String>,
    subresource: String,
    protobuf: bool,
    format: Option<Format>,
    timeout: Option<Duration>,
    kind: CallKind,
    headers: Headers,
    query: Query,
    body: Option<(&'static str, Result<Bytes, EncodeError>)>,
}

impl Call {
    /// A call on a collection. `protobuf` says whether servers speak it for this resource.
    pub fn new(
        client: &RestClient,
        verb: &'static str,
        method: Method,
        target: &Target,
        protobuf: bool,
    ) -> Self {
        Self {
            client: client.clone(),
            verb,
            method,
            target: target.clone(),
            name: None,
            subresource: String::new(),
            protobuf,
            format: None,
            timeout: None,
            kind: CallKind::Unary,
            headers: Headers::new(),
            query: Query::default(),
            body: None,
        }
    }

    /// Names the object. An empty name is refused when the call is sent, it never becomes a call on the collection.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Names the subresource; empty for the object itself.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        subresource.clone_into(&mut self.subresource);
        self
    }

    /// What the timeout covers; [`CallKind::Unary`] unless said.
    #[must_use]
    pub fn kind(mut self, kind: CallKind) -> Self {
        self.kind = kind;
        self
    }

    /// A header field.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.set(name, value);
        self
    }

    /// The body, in the format that the call travels in; JSON if that is CBOR and the server has refused it.
    #[must_use]
    pub fn object(mut self, object: &impl Wire) -> Self {
        let format = match self.format() {
            Format::Cbor if self.client.refuses_cbor() => Format::Json,
            format => format,
        };
        self.body = Some((format.content_type(), object.encode(format).map(Bytes::from)));
        self
    }

    /// The body as it is.
    #[must_use]
    pub fn body(mut self, content_type: &'static str, body: Result<Vec<u8>, EncodeError>) -> Self {
        self.body = Some((content_type, body.map(Bytes::from)));
        self
    }

    /// The query string, to add to.
    pub fn query(&mut self) -> &mut Query {
        &mut self.query
    }

    /// The longest the call may take; see [`CallKind`] for what that covers.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = Some(timeout);
    }

    /// The format of this call, whatever the client's is.
    pub fn set_format(&mut self, format: Format) {
        self.format = Some(format);
    }

    /// The format that body and answer travel in.
    pub fn format(&self) -> Format {
        match self.format.unwrap_or(self.client.options().format) {
            Format::Protobuf if !self.protobuf => Format::Json,
            format => format,
        }
    }

    /// The client that sends the call.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// The resource.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// What the call is about, for errors.
    pub fn context(&self) -> CallContext {
        let mut resource = self.target.resource.to_string();
        if !self.subresource.is_empty() {
            let end = self.target.resource.resource.len();
            resource.insert_str(end, &format!("/{}", self.subresource));
        }
        CallContext {
            verb: self.verb,
            resource,
            namespace: self.target.namespace.clone(),
            name: self.name.clone(),
        }
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> Error {
        Error::new(self.context(), kind)
    }

    /// The request as it will cross the transport.
    ///
    /// # Errors
    /// Path segments that would make another path of it, and bodies that cannot be written.
    pub fn request(&mut self) -> Result<Request, Error> {
        let path = self
            .target
            .path(self.name.as_deref(), &self.subresource)
            .map_err(|message| self.fail(ErrorKind::InvalidRequest(message)))?;
        let default = self.client.options().timeout;
        let timeout = self.timeout.or(default.filter(|_| self.kind == CallKind::Unary));
        if let (CallKind::Unary, Some(timeout)) = (self.kind, timeout) {
            // As Go writes durations; the server takes no other. It caps what is longer than its own limit.
            self.query
                .push("timeout", format_args!("{}ms", timeout.as_millis().max(1)));
        }
        let mut request = Request {
            method: self.method,
            path: path.path + self.query.as_str(),
            template: path.template.into(),
            headers: std::mem::take(&mut self.headers),
            body: Bytes::new(),
            kind: self.kind,
            timeout,
        };
        if !request.headers.contains("accept") {
            request.headers.push(header::ACCEPT, self.accept());
        }
        if let Some((content_type, body)) = self.body.take() {
            request.body = body.map_err(|error| self.fail(ErrorKind::Encode(error)))?;
            request.headers.set("content-type", content_type);
        }
        Ok(request)
    }

    fn accept(&self) -> HeaderValue {
        HeaderValue::from_static(match (self.format(), self.kind) {
            (Format::Protobuf, CallKind::Stream) => {
                "application/vnd.kubernetes.protobuf;stream=watch,application/vnd.kubernetes.protobuf,application/json"
            }
            (Format::Protobuf, _) => "application/vnd.kubernetes.protobuf,application/json",
            (Format::Cbor, _) => "application/cbor,application/json",
            (format @ (Format::Json | Format::Yaml), _) => format.content_type(),
        })
    }

    /// Sends the call and hands out the answer when its header says success. A body in CBOR that the server refuses is
    /// sent once more, as JSON.
    ///
    /// # Errors
    /// No answer, or one that says failure; its body is read whole, whatever it is.
    pub async fn open(&mut self) -> Result<Response, Error> {
        let request = self.request()?;
        let is_cbor = request.headers.get("content-type") == Some(Format::Cbor.content_type());
        let again = is_cbor.then(|| request.clone());
        let mut response = self.send(request).await?;
        if let (415, Some(request)) = (response.status, again) {
            self.client.cbor_refused();
            let request = self.as_json(request)?;
            response = self.send(request).await?;
        }
        if is_success(response.status) || response.status == 101 {
            return Ok(response);
        }
        // A failure is told even if its body does not arrive whole.
        let body = response.body.collect(MAX_FAILURE).await.unwrap_or_default();
        let resource = Some(&self.target.resource);
        let status = status(
            &self.context(),
            resource,
            response.status,
            &response.headers,
            &body,
        );
        Err(self.fail(ErrorKind::Api(Box::new(status))))
    }

    async fn send(&self, request: Request) -> Result<Response, Error> {
        let answer = self.client.transport().send(request).await;
        answer.map_err(|error| self.fail(ErrorKind::Transport(error)))
    }

    /// The request with its body in CBOR as JSON.
    fn as_json(&self, mut request: Request) -> Result<Request, Error> {
        let json = cbor::to_json_text(&request.body).map_err(|error| self.fail(ErrorKind::Decode(error)))?;
        request.body = json.into();
        request.headers.set("content-type", Format::Json.content_type());
        Ok(request)
    }

    /// Sends the call and reads the answer.
    ///
    /// # Errors
    /// As [`Call::open`], an answer that is cut off, too large or unreadable, and a failure under a code of success.
    pub async fn fetch<O: Wire>(mut self) -> Result<O, Error> {
        let response = self.open().await?;
        let format = self.answered(&response);
        if let Some(mut reader) = O::reader(format) {
            self.pieces(response.body, |piece| reader.push(piece)).await?;
            return reader.finish().map_err(|error| self.unfinished(error));
        }
        let body = self.read(response.body).await?;
        if let Some(status) = hidden_failure(format, &body) {
            return Err(self.fail(ErrorKind::Api(Box::new(status))));
        }
        if body.is_empty() && !O::MAY_BE_EMPTY {
            return Err(self.fail(ErrorKind::Decode(DecodeError::other(
                "empty where an object was expected",
            ))));
        }
        O::decode(format, &body).map_err(|error| self.fail(ErrorKind::Decode(error)))
    }

    /// Sends the call and reads a list whose objects need not all be readable.
    pub(super) async fn fetch_readable<K>(mut self) -> Result<(List<K>, Vec<ItemError>), Error>
    where
        K: Resource + Value + Default,
    {
        let response = self.open().await?;
        let mut reader = ListReader::<K>::new(self.answered(&response), Mode::Lenient);
        self.pieces(response.body, |piece| reader.push(piece)).await?;
        reader.finish().map_err(|error| self.unfinished(error))
    }

    /// The format of an answer; that of the call if the server does not say.
    fn answered(&self, response: &Response) -> Format {
        let said = response
            .headers
            .get("content-type")
            .and_then(Format::from_content_type);
        said.unwrap_or_else(|| self.format())
    }

    fn unfinished(&self, error: ListError) -> Error {
        self.fail(match error {
            ListError::Status(status) => ErrorKind::Api(status),
            ListError::Decode(error) => ErrorKind::Decode(error),
        })
    }

    /// Hands out a body as it arrives.
    async fn pieces(
        &self,
        mut body: Body,
        mut take: impl FnMut(&[u8]) -> Result<(), DecodeError> + Send,
    ) -> Result<(), Error> {
        let limit = self.client.options().max_body;
        let mut length = 0_usize;
        while let Some(piece) = body.chunk().await {
            let piece = piece.map_err(|error| self.fail(ErrorKind::Transport(error)))?;
            length = length.saturating_add(piece.len());
            if length > limit {
                let error = DecodeError::other(format_args!("the list is longer than {limit} bytes"));
                return Err(self.fail(ErrorKind::Decode(error)));
            }
            take(&piece).map_err(|error| self.fail(ErrorKind::Decode(error)))?;
        }
        Ok(())
    }

    pub(super) async fn read(&self, body: Body) -> Result<Bytes, Error> {
        let limit = self.client.options().max_body;
        body.collect(limit)
            .await
            .map_err(|error| self.fail(ErrorKind::Transport(error)))
    }
}
