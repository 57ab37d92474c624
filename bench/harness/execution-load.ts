import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { measureService, type ProcessorTime } from "./process-figures.ts";
import type { Service } from "./service.ts";

export interface Load {
	/** Body of `POST /v1/executions`. */
	readonly body: string;
	readonly inFlight: number;
	readonly seconds: number;
	/** Wait after each before the next. */
	readonly pauseMilliseconds?: number;
}

export interface LoadFigures {
	readonly perSecond: number;
	/** POST to succeeded, each. */
	readonly milliseconds: readonly number[];
	/** Milliseconds of processor time for one execution. */
	readonly processorTime: ProcessorTime;
}

/** Keep `inFlight` executions going, a new one for each that has succeeded; any other end is an error. */
export async function runLoad(service: Service, load: Load): Promise<LoadFigures> {
	const watch = await watchExecutions(service);
	try {
		await warmUp(service, watch, load);
		const { value: milliseconds, seconds, time } = await measureService(service.pid, () => work(service, watch, load));
		const share = (used: number) => (1000 * used) / milliseconds.length;
		const { server, launcher, processes, client } = time;
		const processorTime = { server: share(server), launcher: share(launcher), processes: share(processes), client: share(client) };
		return { perSecond: milliseconds.length / seconds, milliseconds, processorTime };
	} finally {
		watch.stop();
	}
}

const warm = new WeakSet<Service>();

/** Services run for weeks: what they do every day is compiled. Even a load with pauses begins with one without. */
async function warmUp(service: Service, watch: Watch, load: Load): Promise<void> {
	const seconds = warm.has(service) ? 0.5 : load.seconds;
	warm.add(service);
	await work(service, watch, { ...load, inFlight: 16, pauseMilliseconds: 0, seconds });
}

async function work(service: Service, watch: Watch, { body, inFlight, seconds, pauseMilliseconds = 0 }: Load): Promise<number[]> {
	const taken: number[] = [];
	const until = performance.now() + seconds * 1000;
	const worker = async () => {
		while (performance.now() < until) {
			const started = performance.now();
			const answer = await service.api.post("/v1/executions", body);
			await watch.succeeded(toId(answer));
			taken.push(performance.now() - started);
			if (pauseMilliseconds > 0) await pause(pauseMilliseconds);
		}
	};
	await Promise.race([Promise.all(Array.from({ length: inFlight }, worker)), watch.broken]);
	return taken;
}

/** The id is the first member: no need to parse kilobytes for it. */
function toId(answer: string): string {
	const [, id] = /^\{"id":"([0-9a-f]{24})"/.exec(answer) ?? [];
	if (id === undefined) throw new Error(`an execution does not begin with its id: ${answer.slice(0, 200)}`);
	return id;
}

interface Watch {
	succeeded(id: string): Promise<void>;
	/** Rejects when the stream ends, or an execution ends otherwise than succeeded. */
	readonly broken: Promise<never>;
	stop(): void;
}

/** Learns of all ends from one general stream. */
async function watchExecutions(service: Service): Promise<Watch> {
	const response = await service.stream.open("/v1/stream?events=svc.execution__update");
	const waiting = new Map<string, () => void>();
	/** Ends that were heard of before the answer to the POST. */
	const early = new Set<string>();
	const broken = new Promise<never>((_resolve, reject) => {
		response.on("end", () => reject(new Error("the stream of executions ended")));
		response.on("error", reject);
		readStatuses(response, (id, status) => {
			if (status === "scheduled" || status === "running") return;
			if (status !== "succeeded") return reject(new Error(`execution ${id} ended as ${status}`));
			const done = waiting.get(id);
			waiting.delete(id);
			if (done === undefined) early.add(id);
			else done();
		});
	});
	broken.catch(() => {});
	return {
		succeeded: (id) => (early.delete(id) ? Promise.resolve() : new Promise((resolve) => waiting.set(id, resolve))),
		broken,
		stop: () => response.destroy(),
	};
}

/** Id and status are the first members of an event's data: found without parsing what follows them. */
function readStatuses(response: IncomingMessage, onStatus: (id: string, status: string) => void): void {
	const pattern = /\ndata: \{"id":"([0-9a-f]{24})","status":"([a-z]+)"/g;
	let rest = "";
	response.setEncoding("latin1");
	response.on("data", (piece: string) => {
		const text = rest + piece;
		let read = 0;
		pattern.lastIndex = 0;
		for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
			read = pattern.lastIndex;
			onStatus(match[1] ?? "", match[2] ?? "");
		}
		// Longer than what the pattern matches, so that nothing is lost where pieces meet.
		rest = text.slice(Math.max(read, text.length - 100));
	});
}
