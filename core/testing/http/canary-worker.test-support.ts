import * as assert from "node:assert/strict";
import type { JsonObject } from "../../contract/index.ts";
import { until } from "../guarantees/until.test-support.ts";
import type { Ask, Aviary, Seen } from "./aviary.test-support.ts";
import { canaries, canaryParameters, toSayings } from "./canary-pack.test-support.ts";

interface Handed {
	readonly id: string;
	readonly fence: string;
	readonly spec: {
		readonly action_parameters: JsonObject;
		readonly pack_config: JsonObject;
		readonly environment: Readonly<Record<string, string>>;
	};
}

/** Most pieces of output in one request. */
const mostPieces = 1_000;
const action = "aviary.courier";

/** Machines that reach the service over HTTP and nothing else: one that is given what it runs, and others that ask about the same. */
export class CanaryWorkers {
	/** What the worker that holds a run was told, and nobody else may be. */
	readonly given: string[] = [];
	readonly #aviary: Aviary;
	readonly #root: Ask;
	readonly #seen: Seen[];
	readonly #far: Ask;
	/** Other machines, each with a key of its own: another label, and every label in the name of somebody else. */
	readonly #strangers: Readonly<Record<string, Ask>>;

	/** @param seen gets every answer but those that hand over a run to the worker that may have it */
	static async join(aviary: Aviary, root: Ask, seen: Seen[]): Promise<CanaryWorkers> {
		const withKey = async (body: object) =>
			aviary.as({ "svc-api-key": String(parse((await root("POST", "/v1/apikeys", body)).text)["key"]) });
		const far = await withKey({ scopes: ["worker:far"] });
		const near = await withKey({ scopes: ["worker:near"] });
		const other = await withKey({ user: "second", scopes: ["worker_take"] });
		return new CanaryWorkers({ aviary, root, seen, far, strangers: { near, other } });
	}

	private constructor(parts: {
		readonly aviary: Aviary;
		readonly root: Ask;
		readonly seen: Seen[];
		readonly far: Ask;
		readonly strangers: Readonly<Record<string, Ask>>;
	}) {
		this.#aviary = parts.aviary;
		this.#root = parts.root;
		this.#seen = parts.seen;
		this.#far = parts.far;
		this.#strangers = parts.strangers;
	}

	/** One run from its start to its end, which says everything. The id of its execution. */
	async fly(end: "succeeded" | "failed" | "error"): Promise<string> {
		const { execution, job } = await this.#take();
		await this.#askOthers(job);
		const known = toKnown(job);
		const sequence = await this.#print(job, known, end === "succeeded");
		const said = { said: known, echoed: { minted: canaries.result, copy: "" }, aside: canaries.result };
		const rest = { fence: job.fence, sequence, pieces: [{ type: "stdout", data: toSayings(known).join("\n") }] };
		const result = end === "error" ? {} : said;
		const error = end === "error" ? { error: `it said ${JSON.stringify(known)}` } : {};
		await this.#note("end", this.#far, `jobs/${job.id}/end`, { ...rest, succeeded: end === "succeeded", result, ...error });
		await this.#root("GET", `/stream/v1/executions/${execution}/output`);
		return execution;
	}

	/** One that has not ended, so that all that is kept of it stays. The id of its execution. */
	async sit(): Promise<string> {
		const { execution, job } = await this.#take();
		await this.#print(job, toKnown(job), false);
		return execution;
	}

	async #take(): Promise<{ readonly execution: string; readonly job: Handed }> {
		const made = await this.#root("POST", "/v1/executions", { action, parameters: canaryParameters });
		assert.equal(made.status, 201, made.text);
		this.#seen.push({ label: `POST ${action}`, text: made.text });
		const execution = String(parse(made.text)["id"]);
		await this.#note("poll of another", this.#strangers["near"] as Ask, "poll", toPoll("near", ["near"]));
		const job = await until("a run is handed over", 30, async () => {
			const { status, text } = await this.#far("POST", "/v1/workers/poll", { ...toPoll("far", ["far"]), wait: 2 });
			assert.equal(status, 200, text);
			this.given.push(text);
			return (parse(text)["jobs"] as readonly Handed[])[0];
		});
		this.#aviary.tokens.push(String(job.spec.environment["SVC_ACTION_AUTH_TOKEN"]));
		return { execution, job };
	}

	/** Whoever knows the number of a run, and even its fence, and is not the worker that has it. */
	async #askOthers({ id, fence }: Handed): Promise<void> {
		const requests = (given: string) =>
			[
				["output", { fence: given, sequence: 1, pieces: [{ type: "stdout", data: "theirs" }] }],
				["end", { fence: given, sequence: 1, pieces: [], succeeded: true, result: {} }],
				["files", { fence: given }],
				["bytes", { fence: given, start: 0, length: 1 }],
			] as const;
		const others = [
			...Object.entries(this.#strangers).map(([name, ask]) => ({ name, ask, fence })),
			{ name: "far", ask: this.#far, fence: "f".repeat(32) },
		];
		for (const { name, ask, fence: tried } of others) {
			for (const [verb, body] of requests(tried)) {
				const status = await this.#note(`${verb} of ${name}`, ask, `jobs/${id}/${verb}`, body);
				assert.ok(status === 403 || status === 409, `${verb} of ${name}: ${status}`);
			}
		}
		const named = { ...toPoll("other", ["far"]), jobs: [{ id, fence, told: false }] };
		assert.equal(await this.#note("poll of a stranger", this.#strangers["other"] as Ask, "poll", named), 200);
		for (const verb of ["files", "bytes"] as const) {
			const body = verb === "files" ? { fence } : { fence, start: 0, length: 1 };
			assert.equal(await this.#note(verb, this.#far, `jobs/${id}/${verb}`, body), 200);
		}
	}

	/** Prints everything whole and, if asked, cut between any two characters. Returns the sequence of what comes next. */
	async #print({ id, fence }: Handed, known: JsonObject, isSpelled: boolean): Promise<number> {
		const pieces = [
			...toSayings(known).map((text) => ({ type: "stdout", data: `${text}\n` })),
			...(isSpelled ? [...JSON.stringify(known)] : []).map((data) => ({ type: "stderr", data })),
			{ type: "other", data: `${"x".repeat(65_500)}${toSayings(known).join(" ")}` },
		];
		let sequence = 1;
		for (let start = 0; start < pieces.length; start += mostPieces, sequence += 1) {
			const body = { fence, sequence, pieces: pieces.slice(start, start + mostPieces) };
			assert.equal(await this.#note("output", this.#far, `jobs/${id}/output`, body), 200);
		}
		return sequence;
	}

	async #note(label: string, ask: Ask, path: string, body: object): Promise<number> {
		const { status, text } = await ask("POST", `/v1/workers/${path}`, body);
		this.#seen.push({ label: `worker: ${label}`, text });
		return status;
	}
}

function toKnown({ spec }: Handed): JsonObject {
	const token = spec.environment["SVC_ACTION_AUTH_TOKEN"] ?? "";
	return { parameters: spec.action_parameters, packConfig: spec.pack_config, token };
}

function toPoll(name: string, labels: readonly string[]): object {
	return {
		...{ instance: Buffer.from(name).toString("hex").padEnd(32, "0"), name, hostname: name, pid: 1, version: "0.1.0", labels },
		...{ draining: false, runners: ["parrot"], places: 4, free: 1, jobs: [], wait: 0 },
	};
}

/** The body, behind the line of headers. */
function parse(text: string): Readonly<Record<string, unknown>> {
	return JSON.parse(text.slice(text.indexOf("\n") + 1)) as Readonly<Record<string, unknown>>;
}
