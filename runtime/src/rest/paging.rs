//! A list in chunks.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use futures_core::Stream;

use super::{Call, List, ListOptions};
use crate::error::{Error, ErrorKind};
use crate::meta::{Object, Page};
use crate::value::Str;
use crate::wire::DecodeError;

/// The number of items of a page where none is said, as in client-go's pager.
const PAGE_SIZE: u32 = 500;

/// The pages of a list, one request each.
///
/// The first page is read as the options say; the others follow its continue token, without the resource version, which
/// servers refuse beside a token. Such a token lives for minutes. When it has expired (410), all that is left to read is
/// read at once, in one list as the options said at first, and what was handed out before is left out of it.
#[derive(Debug)]
#[must_use = "pages are read by calling next"]
pub struct Pages<L> {
    call: Call,
    options: ListOptions,
    next: Next,
    /// Namespace and name of all that was handed out.
    seen: BTreeSet<(Str, Str)>,
    page: PhantomData<fn() -> L>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    First,
    Following(Str),
    /// Everything, since the token has expired.
    Everything,
    Nothing,
}

impl<L: Page> List<L> {
    /// Reads page by page: 500 objects each, unless [`limit`](List::limit) says otherwise.
    ///
    /// ```no_run
    /// # use kubeloom::{RestClient, rest::GroupVersionResource};
    /// # async fn example(client: RestClient) -> Result<(), kubeloom::Error> {
    /// let pods = client.dynamic(GroupVersionResource::new("", "v1", "pods"));
    /// let mut pages = pods.list().labels("app=web").pages();
    /// while let Some(page) = pages.next().await {
    ///     println!("{} pods more", page?.items.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages(self) -> Pages<L> {
        let (call, mut options) = self.into_parts();
        options.limit.get_or_insert(PAGE_SIZE);
        Pages {
            call,
            options,
            next: Next::First,
            seen: BTreeSet::new(),
            page: PhantomData,
        }
    }

    /// Reads page by page and hands out one list of everything, with the metadata of the first page. When a continue
    /// token expires meanwhile, what was read is dropped for one list of everything.
    ///
    /// # Errors
    /// The first call that fails.
    pub async fn all_pages(self) -> Result<L, Error> {
        let mut pages = self.pages();
        let mut whole: Option<L> = None;
        while pages.next != Next::Nothing {
            let everything = pages.next == Next::Everything;
            let mut page = match pages.fetch().await {
                Ok(page) => page,
                Err(error) => match pages.fall_back(error) {
                    Some(error) => return Err(error),
                    None => continue,
                },
            };
            pages.advance(&page)?;
            match &mut whole {
                Some(whole) if !everything => whole.page_items_mut().append(page.page_items_mut()),
                _ => whole = Some(page),
            }
        }
        // The loop runs at least once and ends with a page or an error.
        let mut whole = whole.ok_or_else(|| pages.fail("a list without pages"))?;
        let metadata = whole.list_meta_mut();
        metadata.continue_ = Str::default();
        metadata.remaining_item_count = None;
        Ok(whole)
    }
}

impl<L: Page> Pages<L> {
    /// The next page; `None` after the last one and after an error. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<L, Error>> {
        loop {
            if self.next == Next::Nothing {
                return None;
            }
            let everything = self.next == Next::Everything;
            let answer = self.fetch().await;
            let answer = answer.and_then(|page| self.advance(&page).map(|()| page));
            match answer {
                Ok(mut page) => {
                    if everything {
                        page.page_items_mut()
                            .retain(|item| !self.seen.contains(&key(item)));
                    } else if self.next != Next::Nothing {
                        self.seen.extend(page.page_items().iter().map(key));
                    }
                    return Some(Ok(page));
                }
                Err(error) => match self.fall_back(error) {
                    Some(error) => {
                        self.next = Next::Nothing;
                        return Some(Err(error));
                    }
                    None => continue,
                },
            }
        }
    }

    /// The pages as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<L, Error>> + Send {
        futures_util::stream::unfold(self, |mut pages| async move {
            let page = pages.next().await?;
            Some((page, pages))
        })
    }

    async fn fetch(&self) -> Result<L, Error> {
        let mut options = self.options.clone();
        match &self.next {
            Next::Following(token) => options.continue_ = token.to_string(),
            Next::Everything => options.limit = None,
            Next::First | Next::Nothing => {}
        }
        List::new(self.call.clone()).options(options).await
    }

    fn advance(&mut self, page: &L) -> Result<(), Error> {
        let token = &page.list_meta().continue_;
        self.next = match &self.next {
            _ if token.is_empty() => Next::Nothing,
            Next::Following(last) if last == token => {
                return Err(self.fail("the continue token of a page leads to the same page"));
            }
            _ => Next::Following(token.clone()),
        };
        Ok(())
    }

    /// Prepares to read everything if the token of a page has expired; hands the error back if it is another one.
    fn fall_back(&mut self, error: Error) -> Option<Error> {
        if !error.is_gone() || !matches!(self.next, Next::Following(_)) || !self.options.continue_.is_empty()
        {
            return Some(error);
        }
        self.next = Next::Everything;
        None
    }

    fn fail(&self, message: &str) -> Error {
        self.call.fail(ErrorKind::Decode(DecodeError::other(message)))
    }
}

fn key(item: &impl Object) -> (Str, Str) {
    let metadata = item.object_meta();
    (metadata.namespace.clone(), metadata.name.clone())
}
