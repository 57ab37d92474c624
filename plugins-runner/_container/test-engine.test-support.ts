import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ExternalJobEngine } from "../../core/testing/external-job-suite.ts";
import type { ServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { CutLine, type LostAnswer } from "./cut-line.test-support.ts";
import { Engine } from "./engine.ts";
import { EngineClient } from "./engine-client.ts";
import { createRootArchive } from "./root-archive.test-support.ts";

/** A real engine with storage of its own, in a directory where its socket is `engine.sock`, and a socket in front of it that can be cut. */
export abstract class TestEngine implements ExternalJobEngine {
	/** Past what is cut. */
	readonly client: EngineClient;
	readonly engine: Engine;
	/** The image with busybox in it. */
	readonly image = "localhost/busybox:test";
	protected readonly directory: string;
	readonly #serve: () => Promise<ServerProcess>;
	#server: ServerProcess;
	readonly #line: CutLine;

	/** @param serve starts its server once more, on the same storage */
	protected constructor(directory: string, server: ServerProcess, line: CutLine, serve: () => Promise<ServerProcess>) {
		this.directory = directory;
		this.#server = server;
		this.#serve = serve;
		this.#line = line;
		this.client = new EngineClient({ socketPath: this.socketPath });
		this.engine = new Engine(this.client);
	}

	/** Containers that have begun, by what the engine remembers. */
	abstract accepted(): Promise<number>;

	protected static openLine(directory: string): Promise<CutLine> {
		return CutLine.open(join(directory, "line.sock"), join(directory, "engine.sock"));
	}

	/** Where a runner reaches it. */
	get host(): string {
		return `unix://${this.#line.path}`;
	}

	/** Its own socket, which is never cut. */
	get socketPath(): string {
		return join(this.directory, "engine.sock");
	}

	/** What it has printed. */
	log(): string {
		return this.#server.log();
	}

	protected signal(name: NodeJS.Signals): void {
		this.#server.child.kill(name);
	}

	/** End its server and start it again; what its containers do meanwhile is the engine's matter. `between` happens while there is none. */
	async restart(signal: NodeJS.Signals, between?: () => Promise<void>): Promise<void> {
		const { child } = this.#server;
		// Containers may hold what it prints to, so that this is not closed with it.
		const exited = once(child, "exit");
		child.kill(signal);
		await exited;
		await between?.();
		this.#server = await this.#serve();
	}

	/** Make an image of an archive of a root file system. */
	async addImage(root: string, image: string): Promise<void> {
		await this.#import(await readFile(root), image);
	}

	protected async addBusybox(): Promise<void> {
		await this.#import(await createRootArchive(), this.image);
	}

	async removeImage(image: string): Promise<void> {
		await this.client.json({ method: "DELETE", path: `/images/${encodeURIComponent(image)}`, query: { force: "true" } });
	}

	async jobs(): Promise<readonly string[]> {
		const found = (await this.client.json({ method: "GET", path: "/containers/json", query: { all: "true" } })) as {
			readonly Id: string;
		}[];
		return found.map(({ Id }) => Id);
	}

	takeAway(job: string): Promise<void> {
		return this.engine.remove(job);
	}

	async cutOff(): Promise<void> {
		this.#line.cut();
	}

	async restore(): Promise<void> {
		this.#line.restore();
	}

	/** Nothing gets through for a while, and no connection ends. */
	freeze(): void {
		this.#line.freeze();
	}

	thaw(): void {
		this.#line.thaw();
	}

	/** Whether a container of this name was ever asked for, by whoever reaches it by its line. */
	wasAsked(name: string): boolean {
		return this.#line.asked.has(name);
	}

	async loseNextAnswer(answers: readonly LostAnswer[] = [{ path: "/containers/create" }, { path: "/start" }]): Promise<void> {
		this.#line.loseNextAnswer(answers);
	}

	/** Requests that were held arrive; resolves with the lines that their answers begin with. */
	deliver(): Promise<readonly string[]> {
		return this.#line.deliver();
	}

	/** Names of volumes that are there. */
	async volumes(): Promise<readonly string[]> {
		const { Volumes } = (await this.client.json({ method: "GET", path: "/volumes" })) as {
			Volumes?: readonly { readonly Name: string }[] | null;
		};
		return (Volumes ?? []).map(({ Name }) => Name);
	}

	async stop(): Promise<void> {
		await this.#line.close();
		for (const job of await this.jobs()) await this.takeAway(job);
		await this.#server.end("SIGTERM");
		await this.unmount();
		await rm(this.directory, { recursive: true, force: true });
	}

	/** What stays mounted below its directory. */
	protected async unmount(): Promise<void> {}

	async #import(root: Buffer, image: string): Promise<void> {
		// Podman does not look at a tag of its own.
		await this.client.json({ method: "POST", path: "/images/create", query: { fromSrc: "-", repo: image }, body: root });
	}
}
