import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ServerProcess, startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import type { TestEngine } from "./test-engine.test-support.ts";

const run = promisify(execFile);
const username = "puller";

/** A real registry on this machine that asks for a password. */
export class Registry {
	/** As image names have it. */
	readonly address: string;
	readonly credentials = { username, password: "pa55-of-the-registry" };
	readonly #directory: string;
	readonly #server: ServerProcess;

	private constructor(directory: string, server: ServerProcess) {
		this.#directory = directory;
		this.#server = server;
		this.address = /listening on ([\d.]+:\d+)/.exec(server.log())?.[1] ?? "";
	}

	static async start(): Promise<Registry> {
		const directory = await mkdtemp(join(tmpdir(), "svc-registry-"));
		const { stdout } = await run("htpasswd", ["-nbB", username, "pa55-of-the-registry"]);
		await writeFile(join(directory, "htpasswd"), stdout);
		await writeFile(join(directory, "config.yml"), toConfiguration(directory));
		const server = await startServerProcess("docker-registry", ["serve", join(directory, "config.yml")], {
			ready: /listening on [\d.]+:\d+/,
		});
		return new Registry(directory, server);
	}

	/** An image with busybox that is in the registry, and in the engine no more. */
	async publish(engine: TestEngine, name: string): Promise<string> {
		const repo = `${this.address}/${name}`;
		const { client, image } = engine;
		await client.json({ method: "POST", path: `/images/${encodeURIComponent(image)}/tag`, query: { repo, tag: "1" } });
		const credentials = Buffer.from(JSON.stringify(this.credentials)).toString("base64");
		const answer = await client.stream({
			...{ method: "POST", path: `/images/${encodeURIComponent(repo)}/push`, query: { tag: "1" }, patience: 0 },
			headers: { "x-registry-auth": credentials },
		});
		let text = "";
		for await (const piece of answer) text += String(piece);
		if (/"error"/.test(text)) throw new Error(`the image cannot be pushed: ${text}`);
		await engine.removeImage(`${repo}:1`);
		return `${repo}:1`;
	}

	/** How often it was asked for an image by somebody who may have it. */
	pulls(name: string): number {
		const asked = new RegExp(`(GET|HEAD) /v2/${name}/manifests/\\S* HTTP/1.1" 200`);
		const lines = this.#server.log().split("\n");
		return lines.filter((line) => asked.test(line)).length;
	}

	async stop(): Promise<void> {
		await this.#server.end("SIGTERM");
		await rm(this.#directory, { recursive: true, force: true });
	}
}

function toConfiguration(directory: string): string {
	return `version: 0.1
log: { level: info }
storage:
  filesystem: { rootdirectory: ${directory}/images }
  delete: { enabled: true }
http: { addr: "127.0.0.1:0" }
auth:
  htpasswd: { realm: tests, path: ${directory}/htpasswd }
`;
}
