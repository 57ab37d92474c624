import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findIncidents, type Incident, sendAll } from "./campaign.ts";
import { toText } from "./json-tree.ts";
import type { Problem, ProblemKind } from "./judge.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { NameUse } from "./memory.ts";
import { prepare, type Target } from "./prepare.ts";

/** One may show as the other, by how long it takes. */
const stuck: readonly ProblemKind[] = ["stall", "hang", "crash"];

interface Place {
	readonly directory: string;
	readonly target: Target;
}

/** Tries requests again on services of their own. */
export class Laboratory {
	readonly #planted: string;
	#left: number;
	#place: Place | undefined;

	/** @param seconds it may take in all */
	constructor(planted: string, seconds: number) {
		this.#planted = planted;
		this.#left = seconds * 1_000;
	}

	get isOver(): boolean {
		return this.#left <= 0;
	}

	/** The problem of this kind that a service has with these requests, one after another: a new one, or one on which others went well. */
	async try(kind: ProblemKind, requests: readonly FuzzRequest[]): Promise<Problem | undefined> {
		const isNew = this.#place === undefined;
		const first = await this.#tryOnce(kind, requests);
		// What others have stored may have done it, and what slows down once may be the machine.
		const isSure = isNew ? first?.kind !== "stall" : !leavesTraces(kind, requests);
		return first === undefined || isSure ? first : this.#tryOnce(kind, requests);
	}

	/** The first of these groups after which a request fails as it did. */
	async findCulprit(kind: ProblemKind, groups: readonly (readonly FuzzRequest[])[], probe: FuzzRequest): Promise<number | undefined> {
		for (const [index, group] of groups.entries()) {
			if (this.isOver || (await this.#tryOnce(kind, [...group, probe])) !== undefined) return this.isOver ? undefined : index;
		}
		return undefined;
	}

	/** End the service that it has in use. */
	async close(): Promise<void> {
		const place = this.#place;
		this.#place = undefined;
		place?.target.sender.close();
		await place?.target.service.kill();
		if (place !== undefined) await rm(place.directory, { recursive: true, force: true });
	}

	async #tryOnce(kind: ProblemKind, requests: readonly FuzzRequest[]): Promise<Problem | undefined> {
		const started = performance.now();
		try {
			return await this.#send(kind, requests);
		} finally {
			this.#left -= performance.now() - started;
		}
	}

	/** A service that had no problem is used again: it is slow to start. */
	async #send(kind: ProblemKind, requests: readonly FuzzRequest[]): Promise<Problem | undefined> {
		const { target } = (this.#place ??= await this.#open());
		for (const request of requests) {
			const found = await sendOne(target, request);
			if (found.length > 0 && leavesTraces(kind, requests)) await this.close();
			const same = found.find(({ problem }) => problem.kind === kind || (stuck.includes(kind) && stuck.includes(problem.kind)));
			if (found.length > 0) return same?.problem;
		}
		return undefined;
	}

	async #open(): Promise<Place> {
		const directory = await mkdtemp(join(tmpdir(), "svc-fuzz-again-"));
		return { directory, target: await prepare(directory, this.#planted) };
	}
}

/** Whether a service may not be used again after this has failed: what fails at once is not stored. */
function leavesTraces(kind: ProblemKind, requests: readonly FuzzRequest[]): boolean {
	return requests.length > 1 || requests[0]?.method === "GET" || stuck.includes(kind);
}

async function sendOne(target: Target, request: FuzzRequest): Promise<readonly Incident[]> {
	const sent = await sendAll(target, [adapt(target, request)], 1);
	for (const { request: done, answer } of sent) learnFrom(target, done, answer.text);
	return findIncidents(target, sent);
}

/** Learn what an answer of success says; the names in it. */
export function learnFrom({ memory }: Target, { path, method }: FuzzRequest, text: string): readonly string[] {
	if (!/^(?:GET|POST|PUT)$/.test(method) || !/^[[{]/.test(text)) return [];
	try {
		return memory.learn(path, JSON.parse(text));
	} catch {
		return [];
	}
}

/** The request for another service, where what has ids of the first one has others. */
function adapt({ memory }: Target, request: FuzzRequest): FuzzRequest {
	return (request.names ?? []).reduce(
		(changed, use) => replaceName(changed, use, memory.has(use) ? undefined : memory.last(use.kind)),
		request,
	);
}

function replaceName(request: FuzzRequest, { name }: NameUse, other: string | undefined): FuzzRequest {
	if (other === undefined) return request;
	const path = request.path.replaceAll(encodeURIComponent(name), encodeURIComponent(other));
	if (request.tree === undefined) return { ...request, path };
	return { ...request, path, tree: { raw: toText(request.tree).replaceAll(JSON.stringify(name), JSON.stringify(other)) } };
}
