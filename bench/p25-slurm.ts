import { execFile } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Runner } from "svc-automation/contract";
import { slurm } from "svc-automation/plugins-runner/slurm";
import { createOptions, createRunContext } from "svc-automation/testing";
import { type Slurm, startSlurm } from "../plugins-runner/slurm/slurm.test-support.ts";
import type { Benchmark, Resource } from "./harness/benchmark.ts";

export const benchmark: Benchmark = {
	id: "P25",
	title: "an action on Slurm from its start to its first word in a file ÷ the same by sbatch alone, on a cluster of this machine",
	goals: [{ name: "ratio", label: "median ms ÷ median ms", direction: "at most", limits: [] }],
	async run(round) {
		const bench = await round.use("cluster", startBench);
		const times = round.quick ? 5 : 20;
		const [ours, bare] = await round.alternate(
			() => measure(times, bench.runAction),
			() => measure(times, bench.submit),
		);
		return { values: { ratio: ours / bare }, detail: `${ours.toFixed(0)} ms; sbatch alone ${bare.toFixed(0)} ms` };
	},
};

interface Bench extends Resource {
	runAction(mark: string): Promise<void>;
	submit(mark: string): Promise<void>;
}

/** Median of the milliseconds until the job has written its file. The scheduler's own turns are in both. */
async function measure(times: number, start: (mark: string) => Promise<void>): Promise<number> {
	const all: number[] = [];
	for (let turn = 0; turn < times; turn++) {
		// Not in step with the scheduler, which looks once a second.
		await delay(Math.random() * 1_000);
		const began = performance.now();
		await start(`mark-${turn}`);
		all.push(performance.now() - began);
	}
	return all.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}

async function startBench(): Promise<Bench> {
	const cluster = await startSlurm();
	const marks = join(cluster.directory, "marks");
	await mkdir(marks);
	const runner = await startRunner(cluster);
	// Jobs end some time after their first word: their files must not be taken away before that.
	const ends: Promise<unknown>[] = [];
	const until = async (mark: string) => {
		while (!(await readdir(marks)).includes(mark)) await delay(5);
		await rm(join(marks, mark));
	};
	return {
		async runAction(mark) {
			const context = createRunContext(runner, { runnerParameters: { cmd: `touch ${join(marks, mark)}` } });
			ends.push(runner.run(context).then(() => runner.afterRun?.(context)));
			await until(mark);
		},
		async submit(mark) {
			const env = { PATH: process.env["PATH"], SLURM_CONF: cluster.conf };
			const child = promisify(execFile)("sbatch", ["--output=/dev/null", "--export=ALL"], { env });
			child.child.stdin?.end(`#!/bin/sh\ntouch ${join(marks, mark)}\n`);
			await child;
			await until(mark);
		},
		async stop() {
			await Promise.all(ends);
			await runner.stop?.();
			await cluster.stop();
		},
	};
}

async function startRunner({ directory, conf }: Slurm): Promise<Runner> {
	const runner: Runner = slurm({ directory, slurm_conf: conf }).create();
	const quiet = () => undefined;
	await runner.start?.({
		logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: directory,
		nodeId: "bench",
		options: createOptions(),
	});
	return runner;
}
