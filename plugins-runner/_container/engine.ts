import type { IncomingMessage } from "node:http";
import { readFirstFile } from "./archive.ts";
import { type EngineClient, readBytes } from "./engine-client.ts";
import { EngineRefusal, EngineUnreachable } from "./engine-errors.ts";

/** State of a container. */
export interface ContainerView {
	readonly id: string;
	readonly labels: Readonly<Record<string, string>>;
	/** `created`: it has never started. `ended`: it will not run again. */
	readonly phase: "created" | "running" | "ended";
	readonly exitCode: number;
	/** True if the engine ended the container because memory ran out. */
	readonly outOfMemory: boolean;
	/** The engine's error message if the container failed. */
	readonly error: string;
	/** Milliseconds since 1970 of the container's end, or of its creation if it has not ended. */
	readonly since: number;
}

/** A container in the engine's list. */
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

/** Requests to an engine. They throw `EngineUnreachable` if it does not answer. */
export class Engine {
	readonly #client: EngineClient;

	constructor(client: EngineClient) {
		this.#client = client;
	}

	/** Returns the container; undefined if it does not exist. */
	async look(name: string, signal?: AbortSignal): Promise<ContainerView | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/json`;
		const call = { method: "GET", path, patience: 20_000, ...(signal === undefined ? {} : { signal }) } as const;
		const found = (await orUndefined(this.#client.json(call))) as Inspected | undefined;
		return found === undefined ? undefined : toView(found);
	}

	/**
	 * Creates a container. Rejects if the name is in use. The status differs between engines, so the caller must check which container has
	 * the name.
	 */
	async create(name: string, container: object, signal: AbortSignal): Promise<void> {
		await this.#client.json({ method: "POST", path: "/containers/create", query: { name }, body: container, signal });
	}

	/** Unpacks an archive into a directory of the container, which need not be running. */
	async upload(name: string, directory: string, archive: Buffer, signal: AbortSignal): Promise<void> {
		const path = `/containers/${encodeURIComponent(name)}/archive`;
		await this.#client.json({ method: "PUT", path, query: { path: directory }, body: archive, signal });
	}

	/**
	 * Reads a file of a container, even after its end. Returns undefined if the file or the container does not exist. Throws `EngineRefusal`
	 * if the file is longer than about `most` bytes.
	 */
	async download(name: string, file: string, most: number): Promise<Buffer | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/archive`;
		const response = await orUndefined(this.#client.stream({ method: "GET", path, query: { path: file } }));
		if (response === undefined) return undefined;
		// An archive is longer than its file: it has a header and padding.
		return readFirstFile(await readBytes(response, most + 64 * 1024));
	}

	async start(name: string, signal: AbortSignal): Promise<void> {
		const response = await this.#client.stream({ method: "POST", path: `/containers/${encodeURIComponent(name)}/start`, signal });
		response.resume();
	}

	/**
	 * Resolves when the container is not running, with its exit code. The caller must check the state with `look`. A container that has not
	 * started is not running either, and Podman reports code 0 and an error for a removed one. Returns undefined if the container does not
	 * exist.
	 */
	async wait(name: string, signal: AbortSignal): Promise<{ readonly exitCode: number | undefined } | undefined> {
		const path = `/containers/${encodeURIComponent(name)}/wait`;
		const answer = (await orUndefined(this.#client.json({ method: "POST", path, signal, patience: 0 }))) as Waited | undefined;
		if (answer === undefined) return undefined;
		return { exitCode: answer.Error ? undefined : answer.StatusCode };
	}

	/** Sends TERM to the container, and KILL after `seconds`. */
	async end(name: string, seconds: number): Promise<void> {
		const call = {
			method: "POST",
			path: `/containers/${encodeURIComponent(name)}/stop`,
			query: { t: String(seconds) },
			patience: 0,
		} as const;
		await orUndefined(this.#client.json(call));
	}

	/** Kills the container if it runs, and removes it with its volumes. */
	async remove(name: string): Promise<void> {
		const path = `/containers/${encodeURIComponent(name)}`;
		await orUndefined(this.#client.json({ method: "DELETE", path, query: { force: "true", v: "true" } }));
	}

	/** Removes the container unless it runs. The status with which the engine refuses differs between engines. */
	async removeIdle(id: string): Promise<void> {
		await orUndefined(this.#client.json({ method: "DELETE", path: `/containers/${encodeURIComponent(id)}`, query: { v: "true" } }));
	}

	/** Returns true if the engine's events contain a start of the container, even if the container no longer exists. */
	async hasBegun({ id, since }: Pick<ContainerView, "id" | "since">): Promise<boolean> {
		const filters = JSON.stringify({ container: [id], event: ["start"] });
		const query = { since: String(Math.floor(since / 1_000)), ...(await this.#untilNow()), filters };
		const response = await this.#client.stream({ method: "GET", path: "/events", query });
		const text = (await readBytes(response, 16 * 1024 * 1024)).toString();
		return text.split("\n").some((line) => line.includes(id));
	}

	/**
	 * Returns parameters that make the engine send all past events and end the response. Docker sends past events first and then waits
	 * until the time `until`. Podman stops reading its events at that time, so a request that arrives later gets none. Without streaming,
	 * Podman ends the response by itself.
	 */
	async #untilNow(): Promise<Readonly<Record<string, string>>> {
		const response = await this.#client.stream({ method: "GET", path: "/containers/json", query: { limit: "1" } });
		response.resume();
		if (response.headers["libpod-api-version"] !== undefined) return { stream: "false" };
		const now = Date.parse(response.headers.date ?? "") || Date.now();
		return { until: String(Math.floor(now / 1_000) + 1) };
	}

	/** Returns the whole output in frames; undefined if the container does not exist. */
	async logs(name: string, follow: boolean, signal: AbortSignal): Promise<IncomingMessage | undefined> {
		const query = { stdout: "true", stderr: "true", ...(follow ? { follow: "true" } : {}) };
		const path = `/containers/${encodeURIComponent(name)}/logs`;
		// With `follow`, an engine may begin the response only with the first line.
		const call = { method: "GET", path, query, signal, patience: follow ? 0 : 60_000 } as const;
		return (await orUndefined(this.#client.stream(call))) as IncomingMessage | undefined;
	}

	async hasImage(image: string, signal: AbortSignal): Promise<boolean> {
		const found = await orUndefined(this.#client.json({ method: "GET", path: `/images/${encodeURIComponent(image)}/json`, signal }));
		return found !== undefined;
	}

	/**
	 * Pulls an image. Throws `EngineRefusal` with the message of the registry or the engine.
	 *
	 * @param credentials value of the header `X-Registry-Auth`
	 */
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
	// If the container has not ended, the date is in the year 1 or is the epoch.
	const finished = Date.parse(FinishedAt);
	const since = finished > 0 ? finished : Date.parse(Created);
	return { id: Id, labels: Config?.Labels ?? {}, phase, exitCode: ExitCode, outOfMemory: OOMKilled, error, since };
}

const isOver = (status: string) => ["exited", "stopped", "dead", "removing"].includes(status);

/** Messages of engines for a container that is being removed, with statuses other than 404. */
const beingRemoved = /no such container|dead or marked for removal/i;

/** Returns undefined if the object does not exist or is being removed. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof EngineRefusal && (error.status === 404 || beingRemoved.test(error.message))) return undefined;
		throw error;
	}
}

/** Returns the error from the progress lines, which are JSON; undefined if the pull succeeded. */
async function readPullFailure(response: IncomingMessage): Promise<string | undefined> {
	let rest = "";
	let failure: string | undefined;
	const read = (line: string) => {
		try {
			const { error } = JSON.parse(line) as { error?: unknown };
			if (typeof error === "string") failure = error;
		} catch {
			// The line is empty or truncated.
		}
	};
	try {
		for await (const piece of response) {
			const lines = (rest + (piece as Buffer).toString()).split("\n");
			rest = (lines.pop() ?? "").slice(-65_536);
			for (const line of lines) read(line);
		}
	} catch (error) {
		throw new EngineUnreachable(`the connection to the container engine was lost: ${String(error)}`);
	}
	read(rest);
	return failure;
}
