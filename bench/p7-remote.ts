import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Client } from "ssh2";
import ssh2 from "ssh2";
import type { Runner } from "svc-automation/contract";
import { remoteCommand } from "svc-automation/plugins-runner/remote-command";
import { createOptions, createRunContext } from "svc-automation/testing";
import { createSshSite, type Sshd, type SshSite } from "../plugins-runner/_ssh/sshd.test-support.ts";
import type { Benchmark, Resource } from "./harness/benchmark.ts";

/** As many as a connection carries. */
const inFlight = 8;
const command = "echo hi";

export const benchmark: Benchmark = {
	id: "P7",
	title: `remote ${command} on a connection that is open, ${inFlight} in flight ÷ a bare ssh2 exec loop on one connection to the same sshd`,
	goals: [{ name: "ratio", label: "runs/s ÷ execs/s", direction: "at least", limits: [0.8] }],
	async run(round) {
		const bench = await round.use("site", startBench);
		const seconds = round.quick ? 2 : 5;
		const [ours, bare] = await round.alternate(
			() => measure(seconds, bench.runAction),
			() => measure(seconds, bench.exec),
		);
		return { values: { ratio: ours / bare }, detail: `${ours.toFixed(0)}/s; bare ssh2 ${bare.toFixed(0)}/s` };
	},
};

interface Bench extends Resource {
	runAction(): Promise<void>;
	exec(): Promise<void>;
}

async function startBench(): Promise<Bench> {
	const site = await createSshSite();
	const sshd = await site.startSshd();
	const runner = await startRunner(site);
	const client = await connect(site, sshd);
	const runnerParameters = { hosts: `127.0.0.1:${sshd.port}`, username: site.username, private_key: site.key, cmd: command };
	return {
		async runAction() {
			const { succeeded, result } = await runner.run(createRunContext(runner, { runnerParameters }));
			if (!succeeded) throw new Error(`the command failed: ${JSON.stringify(result)}`);
		},
		exec: () => exec(client),
		async stop() {
			client.end();
			await runner.stop?.();
			await site.stop();
		},
	};
}

async function startRunner(site: SshSite): Promise<Runner> {
	const runner: Runner = remoteCommand().create();
	const quiet = () => undefined;
	await runner.start?.({
		logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: site.directory,
		nodeId: "bench",
		options: createOptions({ ssh_runner: { known_hosts: site.knownHosts } }),
	});
	return runner;
}

async function connect({ username, key }: SshSite, { port }: Sshd): Promise<Client> {
	const client = new ssh2.Client();
	client.connect({ host: "127.0.0.1", port, username, privateKey: await readFile(key, "utf8") });
	await once(client, "ready");
	return client;
}

function exec(client: Client): Promise<void> {
	return new Promise((resolve, reject) => {
		client.exec(command, (error, channel) => {
			if (error) return reject(error);
			let output = "";
			channel.on("data", (bytes: Buffer) => (output += bytes));
			channel.stderr.resume();
			channel.on("close", () => (output === "hi\n" ? resolve() : reject(new Error(`unexpected output: ${output}`))));
		});
	});
}

/** Runs a second that end within `seconds`, after some to warm up. */
async function measure(seconds: number, run: () => Promise<void>): Promise<number> {
	await repeat(0.5, run);
	const started = performance.now();
	const count = await repeat(seconds, run);
	return count / ((performance.now() - started) / 1_000);
}

async function repeat(seconds: number, run: () => Promise<void>): Promise<number> {
	const until = performance.now() + seconds * 1_000;
	let count = 0;
	const worker = async () => {
		while (performance.now() < until) {
			await run();
			count++;
		}
	};
	await Promise.all(Array.from({ length: inFlight }, worker));
	return count;
}
