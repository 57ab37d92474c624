import type { IncomingMessage } from "node:http";
import { readFirstFile } from "./archive.ts";
import { type EngineClient, readBytes } from "./engine-client.ts";
import { EngineRefusal, EngineUnreachable } from "./engine-errors.ts";

/** What is known of a container. */
export interface ContainerView {
	readonly id: string;
	readonly labels: Readonly<Record<string, string>>;
	/** `created`: it has never begun. `ended`: it will not go on. */
	readonly phase: "created" | "running" | "ended";
	readonly exitCode: number;
	/** Whether it was ended for want of memory. */
	readonly outOfMemory: boolean;
	/** What the engine says of an end of its own. */
	readonly error: string;
	/** Milliseconds since 1970: of one that has ended its end, else when it was made. */
	readonly since: number;
}

/** A container that is left, as lists have it. */
export interface ListedContainer {
	readonly id: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly isRunning: boolean;
}

interface Inspected {
	readonly Id?: string;
	readonly Created?: string;
	readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null };
	readonly State?: {
		readonly Status?: string;
		readonly ExitCode?: number;
		readonly OOMKilled?: boolean;
		readonly Error?: string;
		readonly FinishedAt?: string;
	};
}

interface Waited {
	readonly StatusCode?: number;
	readonly Error?: { readonly Message?: string } | null;
}

/** The requests that are made of an engine. They throw `EngineUnreachable` where it does not answer. */
export class Engine {
	readonly #client: EngineClient;

	constructor(client: EngineClient) {
		this.#client = client;
	}

	/** Undefined: there is none. */
	async look(name: string, signal?: AbortSignal): Promise<ContainerView | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/json`;
		const call = { method: "GET", path, patience: 20_000, ...(signal === undefined ? {} : { signal }) } as const;
		const found = (await orUndefined(this.#client.json(call))) as Inspected | undefined;
		return found === undefined ? undefined : toView(found);
	}

	/** Rejects where the name is taken; engines do not agree by which status, so look who has it. */
	async create(name: string, container: object, signal: AbortSignal): Promise<void> {
		await this.#client.json({ method: "POST", path: "/containers/create", query: { name }, body: container, signal });
	}

	/** Unpack an archive below a directory of the container, which has not to be running. */
	async upload(name: string, directory: string, archive: Buffer, signal: AbortSignal): Promise<void> {
		const path = `/containers/${encodeURIComponent(name)}/archive`;
		await this.#client.json({ method: "PUT", path, query: { path: directory }, body: archive, signal });
	}

	/** A file of the container, which may have ended; undefined where it or the container is not there. Throws `EngineRefusal` beyond so many bytes. */
	async download(name: string, file: string, most: number): Promise<Buffer | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/archive`;
		const response = await orUndefined(this.#client.stream({ method: "GET", path, query: { path: file } }));
		if (response === undefined) return undefined;
		// An archive is a little longer than what is in it.
		return readFirstFile(await readBytes(response, most + 64 * 1024));
	}

	async start(name: string, signal: AbortSignal): Promise<void> {
		const response = await this.#client.stream({ method: "POST", path: `/containers/${encodeURIComponent(name)}/start`, signal });
		response.resume();
	}

	/**
	 * Resolves when it does not run, with its exit code. What became of it says `look`: one that was removed has a code of 0 and an error with Podman,
	 * and one that has not begun does not run. Undefined: the engine does not know it.
	 */
	async wait(name: string, signal: AbortSignal): Promise<{ readonly exitCode: number | undefined } | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/wait`;
		const answer = (await orUndefined(this.#client.json({ method: "POST", path, signal, patience: 0 }))) as Waited | undefined;
		if (answer === undefined) return undefined;
		return { exitCode: answer.Error ? undefined : answer.StatusCode };
	}

	/** TERM, and KILL after so many seconds. */
	async end(name: string, seconds: number): Promise<void> {
		const call = {
			method: "POST",
			path: `/containers/${encodeURIComponent(name)}/stop`,
			query: { t: String(seconds) },
			patience: 0,
		} as const;
		await orUndefined(this.#client.json(call));
	}

	/** End it at once, if it runs, and remove it with its volumes. */
	async remove(name: string): Promise<void> {
		const path = `/containers/${encodeURIComponent(name)}`;
		await orUndefined(this.#client.json({ method: "DELETE", path, query: { force: "true", v: "true" } }));
	}

	/** Remove it, unless it runs, which the engine refuses by statuses of its own. */
	async removeIdle(id: string): Promise<void> {
		await orUndefined(this.#client.json({ method: "DELETE", path: `/containers/${encodeURIComponent(id)}`, query: { v: "true" } }));
	}

	/** Whether a container has ever begun, as far as the engine remembers; also of one that is not there any more. */
	async hasBegun({ id, since }: Pick<ContainerView, "id" | "since">): Promise<boolean> {
		const filters = JSON.stringify({ container: [id], event: ["start"] });
		const query = { since: String(Math.floor(since / 1_000)), ...(await this.#untilNow()), filters };
		const response = await this.#client.stream({ method: "GET", path: "/events", query });
		const text = (await readBytes(response, 16 * 1024 * 1024)).toString();
		return text.split("\n").some((line) => line.includes(id));
	}

	/**
	 * What makes an engine answer with the events that it remembers, and end the answer. Docker sends those first and waits for the time that `until`
	 * gives. Podman stops reading its events at that time, so that a request that arrives later is answered with none; it ends by itself where it
	 * is not to stream.
	 */
	async #untilNow(): Promise<Readonly<Record<string, string>>> {
		const response = await this.#client.stream({ method: "GET", path: "/containers/json", query: { limit: "1" } });
		response.resume();
		if (response.headers["libpod-api-version"] !== undefined) return { stream: "false" };
		const now = Date.parse(response.headers.date ?? "") || Date.now();
		return { until: String(Math.floor(now / 1_000) + 1) };
	}

	/** Everything it has printed, in frames; undefined where there is no such container. */
	async logs(name: string, follow: boolean, signal: AbortSignal): Promise<IncomingMessage | undefined> {
		const query = { stdout: "true", stderr: "true", ...(follow ? { follow: "true" } : {}) };
		const path = `/containers/${encodeURIComponent(name)}/logs`;
		// An engine may begin to answer with the first line.
		const call = { method: "GET", path, query, signal, patience: follow ? 0 : 60_000 } as const;
		return (await orUndefined(this.#client.stream(call))) as IncomingMessage | undefined;
	}

	async hasImage(image: string, signal: AbortSignal): Promise<boolean> {
		const found = await orUndefined(this.#client.json({ method: "GET", path: `/images/${encodeURIComponent(image)}/json`, signal }));
		return found !== undefined;
	}

	/** @param credentials as `X-Registry-Auth` has them. Throws `EngineRefusal` with what the registry or the engine says. */
	async pull(image: string, credentials: string | undefined, signal: AbortSignal): Promise<void> {
		const response = await this.#client.stream({
			method: "POST",
			path: "/images/create",
			query: { fromImage: image },
			...(credentials === undefined ? {} : { headers: { "x-registry-auth": credentials } }),
			signal,
			patience: 0,
		});
		const failure = await readPullFailure(response);
		if (failure !== undefined) throw new EngineRefusal(500, failure);
	}

	async list(label: string): Promise<readonly ListedContainer[]> {
		const query = { all: "true", filters: JSON.stringify({ label: [label] }) };
		const found = (await this.#client.json({ method: "GET", path: "/containers/json", query })) as
			| readonly { readonly Id: string; readonly Labels?: Readonly<Record<string, string>> | null; readonly State?: string }[]
			| undefined;
		return (found ?? []).map(({ Id, Labels, State }) => ({ id: Id, labels: Labels ?? {}, isRunning: State === "running" }));
	}
}

function toView({ Id = "", Created = "", Config, State = {} }: Inspected): ContainerView {
	const { Status = "", ExitCode = 0, OOMKilled = false, Error: error = "", FinishedAt = "" } = State;
	const phase =
		Status === "created" || Status === "configured" || Status === "initialized" ? "created" : isOver(Status) ? "ended" : "running";
	// Of what has not ended it is the year 1, or one that a JavaScript date begins with.
	const finished = Date.parse(FinishedAt);
	const since = finished > 0 ? finished : Date.parse(Created);
	return { id: Id, labels: Config?.Labels ?? {}, phase, exitCode: ExitCode, outOfMemory: OOMKilled, error, since };
}

const isOver = (status: string) => ["exited", "stopped", "dead", "removing"].includes(status);

/** What engines say of a container that is just being removed, with other statuses than 404. */
const beingRemoved = /no such container|dead or marked for removal/i;

/** There is no such thing, or will not be in a moment. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof EngineRefusal && (error.status === 404 || beingRemoved.test(error.message))) return undefined;
		throw error;
	}
}

/** Progress comes as lines of JSON; that it has failed stands in one of them. */
async function readPullFailure(response: IncomingMessage): Promise<string | undefined> {
	let rest = "";
	let failure: string | undefined;
	const read = (line: string) => {
		try {
			const { error } = JSON.parse(line) as { error?: unknown };
			if (typeof error === "string") failure = error;
		} catch {
			// Between two lines, or one that is cut.
		}
	};
	try {
		for await (const piece of response) {
			const lines = (rest + (piece as Buffer).toString()).split("\n");
			rest = (lines.pop() ?? "").slice(-65_536);
			for (const line of lines) read(line);
		}
	} catch (error) {
		throw new EngineUnreachable(`the connection to the container engine is lost: ${String(error)}`);
	}
	read(rest);
	return failure;
}
