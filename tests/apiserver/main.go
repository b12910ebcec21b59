// Command kubeloom-apiserver is a whole Kubernetes control-plane API in one
// process, for tests: an embedded etcd that never syncs its disk, and the
// kube-apiserver in front of it.
//
//	kubeloom-apiserver --etcd-data-dir DIR [--watch-stdin [--ephemeral DIR]] -- <kube-apiserver flags>
//
// The flags of kube-apiserver follow the double dash; --etcd-servers is set
// here, and paths among them must be absolute. With --watch-stdin a byte on
// standard input asks for an orderly stop, and the process ends when its
// standard input does, so that it never outlives the process that started it,
// however that one ended; with --ephemeral it then removes that directory too.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// etcdStartTimeout bounds the wait for the embedded etcd to serve: it elects
// itself, so anything longer than a few seconds is a fault and not load.
const etcdStartTimeout = 60 * time.Second

// stopGrace is how long an orderly stop may take once the parent is gone.
const stopGrace = 10 * time.Second

func main() {
	dataDir := flag.String("etcd-data-dir", "", "directory of etcd's data and sockets (required)")
	watchStdin := flag.Bool("watch-stdin", false, "stop at a byte on standard input, end when it ends")
	ephemeral := flag.String("ephemeral", "", "with --watch-stdin: directory to remove when standard input ends")
	flag.Parse()
	if *dataDir == "" {
		fail(fmt.Errorf("--etcd-data-dir is required"))
	}
	if *watchStdin {
		go watch(os.Stdin, *ephemeral)
	}
	etcd, endpoint, err := startEtcd(*dataDir)
	if err != nil {
		fail(fmt.Errorf("etcd: %w", err))
	}
	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{"--etcd-servers=" + endpoint}, flag.Args()...))
	code := cli.Run(command)
	etcd.Close()
	os.Exit(code)
}

// startEtcd serves one member on unix sockets in dir, so that no port is taken
// and nobody but the owner of dir can reach it. It makes dir the working
// directory: a relative socket name has no limit on the depth of dir, where an
// absolute one may have 107 bytes (sun_path, unix(7)).
func startEtcd(dir string) (*embed.Etcd, string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	if err := os.Chdir(dir); err != nil {
		return nil, "", err
	}
	client, err := socket("client.sock")
	if err != nil {
		return nil, "", err
	}
	peer, err := socket("peer.sock")
	if err != nil {
		return nil, "", err
	}

	config := embed.NewConfig()
	config.Name = "kubeloom"
	config.Dir = "member"
	config.ListenClientUrls = []url.URL{client}
	config.AdvertiseClientUrls = []url.URL{client}
	config.ListenPeerUrls = []url.URL{peer}
	config.AdvertisePeerUrls = []url.URL{peer}
	config.InitialCluster = config.Name + "=" + peer.String()
	config.UnsafeNoFsync = true
	config.LogLevel = "error"

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, client.String(), nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, "", err
	case <-time.After(etcdStartTimeout):
		etcd.Close()
		return nil, "", fmt.Errorf("not ready after %s", etcdStartTimeout)
	}
}

// socket is the URL of a unix socket in the working directory. The file that a
// killed run leaves behind would make the bind fail and is removed.
func socket(name string) (url.URL, error) {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return url.URL{}, err
	}
	return url.URL{Scheme: "unix", Host: name}, nil
}

// watch stops the process in an orderly way at the first byte of input, which
// the parent sends when it wants to start again on the same data. When input
// ends, the parent is gone: data that nobody will read again needs no orderly
// stop and is removed; other data gets one, cut off after stopGrace.
func watch(input io.Reader, ephemeral string) {
	if n, _ := input.Read(make([]byte, 1)); n > 0 {
		terminate()
		_, _ = io.Copy(io.Discard, input)
	}
	if ephemeral != "" {
		removeAll(ephemeral)
		os.Exit(0)
	}
	terminate()
	time.Sleep(stopGrace)
	os.Exit(1)
}

// terminate asks kube-apiserver to stop, which takes SIGTERM as the request.
// A second one would end it at once, so it is sent once.
func terminate() {
	terminateOnce.Do(func() {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(syscall.SIGTERM)
		}
	})
}

var terminateOnce sync.Once

// removeAll tries again, since etcd may create a file while its directory is
// being removed.
func removeAll(dir string) {
	for range 10 {
		if os.RemoveAll(dir) == nil {
			return
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kubeloom-apiserver:", err)
	os.Exit(2)
}
