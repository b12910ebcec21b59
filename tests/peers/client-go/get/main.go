// Program get reads one config map over and over. Its command line and what it prints are those of the programs in Rust, as
// told in ../../harness/src/calls.rs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("usage: COUNT AT_ONCE NAMESPACE NAME")
	}
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	atOnce, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return err
	}
	// Without the limit of five calls a second.
	config.QPS = -1
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	api := clientset.CoreV1().ConfigMaps(args[2])
	call := func() (int, error) {
		object, err := api.Get(ctx, args[3], metav1.GetOptions{})
		if err != nil {
			return 0, err
		}
		return len(object.Data), nil
	}
	entries, err := call()
	if err != nil {
		return err
	}
	var left atomic.Int64
	left.Store(int64(count))
	failures := make(chan error, atOnce)
	var workers sync.WaitGroup
	cpu, start := cpuNow(), time.Now()
	for range atOnce {
		workers.Go(func() {
			for left.Add(-1) >= 0 {
				got, err := call()
				if err == nil && got != entries {
					err = fmt.Errorf("the object has changed")
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	workers.Wait()
	wall, used := time.Since(start).Nanoseconds(), cpuNow()-cpu
	select {
	case err := <-failures:
		return err
	default:
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"wall_ns": wall, "cpu_ns": used, "calls": int64(count), "entries": int64(entries),
	})
}

// cpuNow is the processor time of the process, in nanoseconds.
func cpuNow() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
