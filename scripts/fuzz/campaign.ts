import { setTimeout as delay } from "node:timers/promises";
import { routes } from "../../plugins/_shipped/routes.ts";
import { judge, type Problem } from "./judge.ts";
import { type FuzzRequest, makeRequest } from "./make-request.ts";
import type { Memory } from "./memory.ts";
import type { Target } from "./prepare.ts";
import type { Answer } from "./send.ts";
import type { Stall } from "./service-process.ts";

/** How many requests are under way at once. */
const width = 6;
/** Milliseconds that rules and executions are given to go on with what was stored. */
const settleTime = 100;

/** A request that was answered, or was not. */
export interface Sent {
	readonly request: FuzzRequest;
	readonly answer: Answer;
	readonly problem: Problem | undefined;
}

/** What went wrong, and the requests that may have done it. */
export interface Incident {
	readonly problem: Problem;
	/** Under way at that time, the likeliest first. */
	readonly suspects: readonly FuzzRequest[];
}

/** Send requests, and look at the answers and at the service. */
export async function sendAll(target: Target, requests: readonly FuzzRequest[], atOnce = width): Promise<readonly Sent[]> {
	const { service, sender, callers, secrets } = target;
	const sent: Sent[] = [];
	const waiting = [...requests];
	const work = async () => {
		for (let request = waiting.shift(); request !== undefined && service.failure() === undefined; request = waiting.shift()) {
			const headers = [...request.headers, ...Object.entries(callers[request.caller])];
			const answer = await sender.send(service.api, { ...request, headers });
			// The process has gone: this one had no part in it.
			if (answer.error?.includes("ECONNREFUSED")) break;
			sent.push({ request, answer, problem: judge(request, answer, secrets) });
		}
	};
	await Promise.all(Array.from({ length: atOnce }, work));
	return sent;
}

/** What went wrong while these were sent. */
export async function findIncidents({ service }: Target, sent: readonly Sent[]): Promise<Incident[]> {
	await delay(settleTime);
	await service.handles();
	const errors = service.errors();
	const incidents = sent.flatMap(({ request, problem }): Incident[] => {
		if (problem === undefined) return [];
		const detail = problem.kind === "error" ? `${problem.detail}\n${errors.at(-1) ?? ""}` : problem.detail;
		return [{ problem: { ...problem, detail }, suspects: [request] }];
	});
	const unhandled = errors.find((line) => /unhandled|uncaught/i.test(line));
	if (unhandled !== undefined) incidents.push({ problem: { kind: "log", detail: unhandled }, suspects: newest(sent) });
	for (const stall of service.takeStalls()) incidents.push({ problem: toProblem(stall), suspects: underWay(sent, stall) });
	const failure = service.failure();
	if (failure !== undefined) incidents.push({ problem: failure, suspects: newest(sent) });
	return incidents;
}

/** The next requests of a seed. */
export function makeBatch(seed: number, first: number, count: number, memory: Memory): readonly FuzzRequest[] {
	return Array.from({ length: count }, (_, index) => makeRequest(seed, first + index, memory));
}

/** Requests that read all there is again: the lists, the newest records of each kind, the stream. */
export function makeReading(memory: Memory): readonly FuzzRequest[] {
	const readers = routes.filter(({ method, path, component }) => method === "GET" && !path.includes("**") && component !== "auth");
	return readers.flatMap((route) => {
		const { path, component } = route;
		const prefix = component === "stream" ? "/stream/v1" : "/v1";
		const kind = path.split("/")[1] ?? "";
		const names = path.includes(":") ? memory.some(kind, 2) : [""];
		return names.map((name): FuzzRequest => {
			const filled = path.replace(/:\w+/g, (segment) => encodeURIComponent(segment === ":name" && kind === "executions" ? "result" : name));
			const names = name === "" ? [] : [{ kind, name }];
			return { caller: "admin", method: "GET", path: prefix + filled, headers: [], route, names };
		});
	});
}

/** What keeps the service as it was: some requests switch parts of it off. */
export const repairs: readonly FuzzRequest[] = ["noop", "inquirer"].map((name) => ({
	caller: "admin",
	method: "PUT",
	path: `/v1/runnertypes/${name}`,
	headers: [["content-type", "application/json"]],
	bytes: Buffer.from('{"enabled": true}'),
}));

function toProblem({ wall, cpu }: Stall): Problem {
	return { kind: "stall", detail: `the event loop was blocked for ${Math.round(wall)} ms, computing for ${Math.round(cpu)} ms` };
}

/** Requests whose answers came while it was blocked or soon after, and then those before: events are reacted to after the answer. */
function underWay(sent: readonly Sent[], { from, to }: Stall): readonly FuzzRequest[] {
	const near = sent.filter(({ answer }) => answer.from <= to && answer.to >= from - settleTime);
	return (near.length > 0 ? near : sent).map(({ request }) => request).slice(-2 * width);
}

function newest(sent: readonly Sent[]): readonly FuzzRequest[] {
	return sent
		.map(({ request }) => request)
		.slice(-2 * width)
		.reverse();
}
