import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Certificates } from "../../core/testing/services/certificates.test-support.ts";
import { startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";
import { canMountLayers } from "./storage-driver.test-support.ts";
import { TestEngine } from "./test-engine.test-support.ts";

const run = promisify(execFile);

/** A test function for tests that need Docker's own engine, and the shell of busybox for images. */
export function dockerTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const commands = ["dockerd", "containerd", "runc", "busybox", ...more];
	return requires(test, { command: commands.find((command) => missing({ command }) !== undefined) ?? "dockerd", root: true }).test;
}

/** What the daemon writes down of a container. */
export interface StoredContainer {
	readonly Config: { readonly Labels?: Readonly<Record<string, string>> | null };
	readonly State: { readonly Running: boolean; readonly ExitCode: number; readonly FinishedAt: string };
	/** What it has of what the container has printed. */
	readonly output: string;
}

/** A real Docker, without a network of its own. */
export class Docker extends TestEngine {
	#started = 0;

	/** @param tls with which it listens on TCP besides, and asks for certificates of the same authority */
	static async start(tls?: Pick<Certificates, "ca" | "certificate" | "key">): Promise<Docker> {
		const directory = await mkdtemp(join(tmpdir(), "svc-docker-"));
		const at = (name: string) => join(directory, name);
		await writeFile(at("daemon.json"), "{}");
		const places = ["--config-file", at("daemon.json"), "--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid")];
		const alone = [
			"--iptables=false",
			"--ip6tables=false",
			"--bridge",
			"none",
			"--storage-driver",
			(await canMountLayers(directory)) ? "overlay2" : "vfs",
		];
		const files = tls && ["--tlsverify", "--tlscacert", tls.ca, "--tlscert", tls.certificate, "--tlskey", tls.key];
		const secure = files === undefined ? [] : ["--host", "tcp://127.0.0.1:0", ...files];
		const args = [...places, ...alone, "--host", `unix://${at("engine.sock")}`, ...secure];
		// Collecting garbage less often saves a tenth of its processor time.
		const env = { ...process.env, GOGC: "400" };
		const serve = () => startServerProcess("dockerd", args, { env, ready: /API listen on .*engine\.sock/ });
		const docker = new Docker(directory, await serve(), await TestEngine.openLine(directory), serve);
		await docker.#countStarts();
		await docker.addBusybox();
		return docker;
	}

	/** Where it listens with TLS. */
	get secureHost(): string {
		return `tcp://${/API listen on (127\.0\.0\.1:\d+)/.exec(this.log())?.[1]}`;
	}

	/** Whether containers outlive the daemon; those of one that does not keep them are ended with it. */
	async keepContainers(isKept: boolean): Promise<void> {
		await writeFile(join(this.directory, "daemon.json"), JSON.stringify({ "live-restore": isKept, "shutdown-timeout": 1 }));
		const count = () => this.log().split("Reloaded configuration").length;
		const before = count();
		this.signal("SIGHUP");
		while (count() === before) await delay(50);
	}

	/** What the daemon has written down of its containers, and of what they have printed. */
	async stored(): Promise<readonly StoredContainer[]> {
		const directory = join(this.directory, "data/containers");
		const read = async (id: string) => {
			const container = JSON.parse(await readFile(join(directory, id, "config.v2.json"), "utf8")) as Omit<StoredContainer, "output">;
			const log = await readFile(join(directory, id, `${id}-json.log`), "utf8").catch(() => "");
			const lines = log.split("\n").filter((line) => line !== "");
			return { ...container, output: lines.map((line) => (JSON.parse(line) as { readonly log: string }).log).join("") };
		};
		// One that was just being made, or removed, has no such file.
		const found = await Promise.all((await readdir(directory)).map((id) => read(id).catch(() => undefined)));
		return found.filter((container) => container !== undefined);
	}

	/** It remembers few events: they are counted as they come. */
	async accepted(): Promise<number> {
		return this.#started;
	}

	/** A daemon that has found containers of one before leaves what that one had mounted. */
	protected override async unmount(): Promise<void> {
		const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
		const own = mounts.filter((path) => path.startsWith(`${this.directory}/`));
		for (const path of own.reverse()) await run("umount", [path]);
	}

	async #countStarts(): Promise<void> {
		const query = { filters: JSON.stringify({ type: ["container"], event: ["start"] }) };
		const events = await this.client.stream({ method: "GET", path: "/events", query });
		events.on("data", (piece: Buffer) => {
			this.#started += piece.toString().split("\n").length - 1;
		});
		events.on("error", () => {});
	}
}
