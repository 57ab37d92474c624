import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, connect as openConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LastingEngine } from "../../core/testing/lasting-suite.ts";
import { findCommand, missing, requires, type SkippableTest } from "../../core/testing/requires.ts";
import { startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { toArchive } from "./archive.ts";
import { Engine } from "./engine.ts";
import { EngineClient } from "./engine-client.ts";

const run = promisify(execFile);

/** A test function for tests that need a container engine: Podman with runc, and the shell of busybox for images. */
export function podmanTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const commands = ["podman", "runc", "busybox", ...more];
	return requires(test, { command: commands.find((command) => missing({ command }) !== undefined) ?? "podman", root: true }).test;
}

/** A real Podman with storage of its own, and a socket in front of it that can be cut. */
export class Podman implements LastingEngine {
	/** Past what is cut. */
	readonly client: EngineClient;
	readonly engine: Engine;
	/** The image with busybox in it. */
	readonly image = "localhost/busybox:test";
	readonly #directory: string;
	readonly #server: Awaited<ReturnType<typeof startServerProcess>>;
	readonly #line: Line;

	private constructor(directory: string, server: Awaited<ReturnType<typeof startServerProcess>>, line: Line) {
		this.#directory = directory;
		this.#server = server;
		this.#line = line;
		this.client = new EngineClient({ socketPath: this.socketPath });
		this.engine = new Engine(this.client);
	}

	static async start(): Promise<Podman> {
		const directory = await mkdtemp(join(tmpdir(), "svc-podman-"));
		await writeFile(join(directory, "containers.conf"), toConfiguration());
		const root = join(directory, "busybox.tar");
		await writeFile(root, await createRootArchive());
		await run("podman", [...toArguments(directory), "import", root, "localhost/busybox:test"], { env: toEnvironment(directory) });
		const socket = join(directory, "engine.sock");
		const server = await startServerProcess(
			"podman",
			[...toArguments(directory), "--log-level", "info", "system", "service", "--time", "0", `unix://${socket}`],
			{
				env: toEnvironment(directory),
				ready: /API service listening/,
			},
		);
		return new Podman(directory, server, await Line.open(join(directory, "line.sock"), socket));
	}

	/** Make an image of a root file system. */
	async addImage(root: string, image: string): Promise<void> {
		await run("podman", [...toArguments(this.#directory), "import", root, image], { env: toEnvironment(this.#directory) });
	}

	/** Where a runner reaches it. */
	get host(): string {
		return `unix://${this.#line.path}`;
	}

	/** Its own socket, which is never cut. */
	get socketPath(): string {
		return join(this.#directory, "engine.sock");
	}

	/** What the command line of the engine does by itself, past the socket. */
	async runBare(command: readonly string[]): Promise<void> {
		const options = ["run", "--rm", "--network", "none", this.image];
		await run("podman", [...toArguments(this.#directory), ...options, ...command], { env: toEnvironment(this.#directory) });
	}

	async jobs(): Promise<readonly string[]> {
		const found = (await this.client.json({ method: "GET", path: "/containers/json", query: { all: "true" } })) as {
			readonly Id: string;
		}[];
		return found.map(({ Id }) => Id);
	}

	/** Containers that have begun, by what the engine remembers. */
	async accepted(): Promise<number> {
		const response = await this.client.stream({ method: "GET", path: "/events", query: { stream: "false" } });
		let text = "";
		for await (const piece of response) text += String(piece);
		return text.split("\n").filter((line) => line.includes('"status":"start"')).length;
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

	async loseNextAnswer(): Promise<void> {
		this.#line.loseNextAnswer(["/containers/create", "/start"]);
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
		await rm(this.#directory, { recursive: true, force: true });
	}
}

function toArguments(directory: string): string[] {
	const at = (name: string) => join(directory, name);
	return ["--root", at("root"), "--runroot", at("run"), "--tmpdir", at("tmp"), "--storage-driver", "vfs", "--events-backend", "file"];
}

function toEnvironment(directory: string): NodeJS.ProcessEnv {
	return { ...process.env, CONTAINERS_CONF: join(directory, "containers.conf") };
}

/** Limits that the tests' own machine may be able to raise no further, and no systemd. */
function toConfiguration(): string {
	const runc = findCommand("runc") ?? "runc";
	return `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
[engine.runtimes]
runc = ["${runc}"]
`;
}

/** A file system with busybox, a link for each of its commands, and two users. */
export async function createRootArchive(): Promise<Buffer> {
	const busybox = findCommand("busybox") ?? "/bin/busybox";
	const pieces: Buffer[] = [];
	for await (const piece of createReadStream(busybox)) pieces.push(piece as Buffer);
	const { stdout } = await run(busybox, ["--list"]);
	const names = stdout.split("\n").filter((name) => name !== "" && name !== "busybox");
	return toArchive([
		...["bin", "etc", "usr"].map((path) => ({ path, mode: 0o755 })),
		{ path: "tmp", mode: 0o1777 },
		{ path: "bin/busybox", mode: 0o755, content: Buffer.concat(pieces) },
		...names.map((name) => ({ path: `bin/${name}`, mode: 0o777, link: "busybox" })),
		{ path: "usr/bin", mode: 0o777, link: "../bin" },
		{ path: "etc/passwd", mode: 0o644, content: Buffer.from("root:x:0:0::/:/bin/sh\nsomebody:x:1000:1000::/:/bin/sh\n") },
	]);
}

/** A socket that passes on what comes, until it is cut. */
class Line {
	readonly path: string;
	readonly #server = createServer();
	readonly #target: string;
	readonly #open = new Set<Socket>();
	#isCut = false;
	/** Ends of paths; whoever asks for one gets no answer. */
	#lost: string[] = [];

	private constructor(path: string, target: string) {
		this.path = path;
		this.#target = target;
		this.#server.on("connection", (socket) => this.#pass(socket));
	}

	static async open(path: string, target: string): Promise<Line> {
		const line = new Line(path, target);
		await mkdir(join(path, ".."), { recursive: true });
		await new Promise<void>((resolve) => line.#server.listen(path, resolve));
		return line;
	}

	cut(): void {
		this.#isCut = true;
		for (const socket of this.#open) socket.destroy();
	}

	restore(): void {
		this.#isCut = false;
		this.#lost = [];
	}

	loseNextAnswer(paths: readonly string[]): void {
		this.#lost = [...paths];
	}

	async close(): Promise<void> {
		this.cut();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#pass(socket: Socket): void {
		if (this.#isCut) return void socket.destroy();
		const target = openConnection(this.#target);
		let isLost = false;
		for (const each of [socket, target]) {
			this.#open.add(each);
			each.on("error", () => {});
			each.on("close", () => this.#open.delete(each));
		}
		socket.on("data", (piece) => {
			const [line = ""] = piece.toString("latin1").split("\r\n");
			const found = this.#lost.find((path) => (line.split(" ")[1] ?? "").split("?")[0]?.endsWith(path));
			if (found !== undefined) this.#lost = this.#lost.filter((path) => path !== found);
			isLost ||= found !== undefined;
			target.write(piece);
		});
		target.on("data", (piece) => (isLost ? socket.destroy() : socket.write(piece)));
		socket.on("close", () => target.destroy());
		target.on("close", () => socket.end());
	}
}
