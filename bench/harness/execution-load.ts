import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type LoadFigures, toLoadFigures } from "./load-figures.ts";
import { measureService } from "./process-figures.ts";
import type { Service } from "./service.ts";
import { type WatchedEnds, watchEnds } from "./watched-ends.ts";

export interface Load {
	/** Body of `POST /v1/executions`. */
	readonly body: string;
	readonly inFlight: number;
	readonly seconds: number;
	/** Wait after each before the next. */
	readonly pauseMilliseconds?: number;
	/** Seconds of load before the measured one; default as long for a new service, and half a second later. */
	readonly warmUpSeconds?: number;
}

/** What executions are asked of: the service, or what is held against it. */
export type LoadedService = Pick<Service, "pid" | "api" | "stream">;

/** Keep `inFlight` executions going, a new one for each that has succeeded; any other end is an error. */
export async function runLoad(service: LoadedService, load: Load): Promise<LoadFigures> {
	const watch = await watchEnds(service, readEnds);
	try {
		await warmUp(service, watch, load);
		return toLoadFigures(await measureService(service.pid, () => work(service, watch, load)));
	} finally {
		watch.stop();
	}
}

const warm = new WeakSet<LoadedService>();

/** Services run for weeks: what they do every day is compiled. Even a load with pauses begins with one without. */
async function warmUp(service: LoadedService, watch: WatchedEnds, load: Load): Promise<void> {
	const seconds = load.warmUpSeconds ?? (warm.has(service) ? 0.5 : load.seconds);
	warm.add(service);
	await work(service, watch, { ...load, inFlight: 16, pauseMilliseconds: 0, seconds });
}

async function work(
	service: LoadedService,
	watch: WatchedEnds,
	{ body, inFlight, seconds, pauseMilliseconds = 0 }: Load,
): Promise<number[]> {
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

/** Id and status are the first members of an event's data: found without parsing what follows them. */
function readEnds(response: IncomingMessage, onEnd: (id: string, status: string) => void): void {
	const pattern = /\ndata: \{"id":"([0-9a-f]{24})","status":"([a-z]+)"/g;
	let rest = "";
	response.setEncoding("latin1");
	response.on("data", (piece: string) => {
		const text = rest + piece;
		let read = 0;
		pattern.lastIndex = 0;
		for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
			read = pattern.lastIndex;
			const [, id = "", status = ""] = match;
			if (status !== "scheduled" && status !== "running") onEnd(id, status);
		}
		// Longer than what the pattern matches, so that nothing is lost where pieces meet.
		rest = text.slice(Math.max(read, text.length - 100));
	});
}
