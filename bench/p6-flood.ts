import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "./harness/benchmark.ts";
import { runChild, startChild } from "./harness/child.ts";
import { echo, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { createHttpClient } from "./harness/http-client.ts";
import { describeTime, measureMemory, measureService, type ProcessorTime, readMemory } from "./harness/process-figures.ts";
import { type Service, startService } from "./harness/service.ts";

const mebibyte = 1_048_576;
const line = "0123456789".repeat(8).slice(0, 79);
const lineBytes = line.length + 1;

export const benchmark: Benchmark = {
	id: "P6",
	title: "output of one run in lines of 80 bytes, stored and streamed to one SSE client ÷ Node reading the same pipe line by line",
	goals: [
		{ name: "ratio", label: "bytes/s ÷ bytes/s", direction: "at least", limits: [0.55] },
		{
			name: "growth",
			label: "most memory during the run less that of a warm service at rest",
			unit: "MiB",
			direction: "at most",
			limits: [48],
		},
		{
			name: "further",
			label: "the same less that of a service that has had a flood before",
			unit: "MiB",
			direction: "at most",
			limits: [],
		},
		{ name: "ofLeast", label: "bytes/s ÷ those of the least that could keep and send them", direction: "at least", limits: [0.8] },
		{ name: "least", label: "those ÷ bytes/s of the bare reader, which no service in Node can exceed", direction: "at least", limits: [] },
	],
	async run(round) {
		const bytes = (round.quick ? 64 : 1024) * mebibyte;
		// A new one each time: the output stays on the disk, and a service that has had a flood keeps some of the memory it took.
		const service = await startService();
		try {
			await runLoad(service, { body: echo, inFlight, seconds: 1 });
			const atRest = await readMemory(service.pid);
			await flood(service, 64 * mebibyte);
			const [ours, bare] = await round.alternate(
				() => measureMemory(service.pid, () => measureService(service.pid, () => flood(service, bytes))),
				() => readBare(bytes),
			);
			const { value: id, seconds, time } = ours.value;
			await assertStored(service, id, bytes);
			const rate = bytes / mebibyte / seconds;
			const least = await measureLeast(bytes);
			const memory = [atRest, ours.before, ours.most].map((used) => used.toFixed(0)).join(", ");
			return {
				values: {
					ratio: rate / bare,
					growth: ours.most - atRest,
					further: ours.most - ours.before,
					ofLeast: rate / least.rate,
					least: least.rate / bare,
				},
				detail:
					`${rate.toFixed(0)} MiB/s (${seconds.toFixed(1)} s, CPU s: ${describeTime(time)}), ` +
					`memory at rest, before, at most: ${memory} MiB; bare reader ${bare.toFixed(0)} MiB/s; ` +
					`the least ${least.rate.toFixed(0)} MiB/s (CPU s: ${describeTime(least.time)})`,
			};
		} finally {
			await service.stop();
		}
	},
};

function toCommand(bytes: number): string {
	return `yes ${line} | head -c ${bytes}`;
}

/** From the POST to the end of the stream; the execution's id. */
export async function flood({ api, stream }: Service, bytes: number): Promise<string> {
	const answer = await api.post("/v1/executions", JSON.stringify({ action: "core.local", parameters: { cmd: toCommand(bytes) } }));
	const { id } = JSON.parse(answer) as { readonly id: string };
	const { length, tail } = await readAll(await stream.open(`/v1/executions/${id}/output`));
	// Each newline takes two bytes in JSON; frames add less than a hundredth.
	const least = Math.floor(bytes / lineBytes) * (lineBytes + 1);
	if (length < least) throw new Error(`the stream had ${length} bytes where ${least} were needed`);
	if (!tail.includes("event: EOF")) throw new Error("the stream ended without EOF");
	return id;
}

/** The stored output has every byte. */
async function assertStored({ api }: Service, id: string, bytes: number): Promise<void> {
	const { length } = await readAll(await api.open(`/v1/executions/${id}/output`));
	if (length !== bytes) throw new Error(`${length} of ${bytes} bytes were stored`);
}

function readAll(response: IncomingMessage): Promise<{ readonly length: number; readonly tail: string }> {
	return new Promise((resolve, reject) => {
		let length = 0;
		let tail = "";
		response.on("data", (bytes: Buffer) => {
			length += bytes.length;
			tail = (tail + bytes.toString("latin1", Math.max(0, bytes.length - 100))).slice(-100);
		});
		response.on("error", reject).on("end", () => resolve({ length, tail }));
	});
}

/** How fast the bytes of the same command go to a file and to a client, with nothing else done to them. */
async function measureLeast(bytes: number): Promise<{ readonly rate: number; readonly time: ProcessorTime }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const child = await startChild("least-flood.mjs", { input: { directory, command: toCommand(bytes) } });
	const client = createHttpClient((child.facts as { readonly address: string }).address);
	try {
		const { value, seconds, time } = await measureService(child.pid, async () => readAll(await client.open("/")));
		if (value.length < bytes || !value.tail.includes("event: EOF")) throw new Error(`the least sent ${value.length} of ${bytes} bytes`);
		return { rate: bytes / mebibyte / seconds, time };
	} finally {
		client.stop();
		await child.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

async function readBare(bytes: number): Promise<number> {
	const facts = await runChild("read-lines.mjs", { input: { command: toCommand(bytes) } });
	const { bytes: read, seconds } = facts as { readonly bytes: number; readonly seconds: number };
	if (read !== bytes) throw new Error(`the bare reader read ${read} of ${bytes} bytes`);
	return bytes / mebibyte / seconds;
}
