//! Two-way streams with containers: exec, attach, port-forward.
//!
//! They speak WebSocket: `v5.channel.k8s.io` for processes, which can end the standard input on its own, or
//! `v4.channel.k8s.io` where no input is asked for; `v4.channel.k8s.io` for ports. API servers from Kubernetes 1.30 on
//! speak v5. SPDY, which older clients and servers use, is left out on purpose: the protocol is abandoned, no kept
//! library speaks it, and servers before 1.30 are out of support. Those, and proxies that do not pass WebSocket on,
//! answer with an error that says so.
//!
//! | file | what is there |
//! |---|---|
//! | `handshake` | from a call to a WebSocket |
//! | `socket` | the tasks that serve one: channels, pings, its end |
//! | `process`, `pipes` | [`Exec`], [`Attach`], [`Process`] and its standard streams |
//! | `ports` | [`PortForward`] |

mod handshake;
mod pipes;
mod ports;
mod process;
mod socket;

pub use self::pipes::{Output, Stdin};
pub use self::ports::{Forwarded, PortForward, PortStream};
pub use self::process::{Attach, Exec, ExitStatus, Process, TerminalSize};
