import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missing, requires, type SkippableTest } from "../../core/testing/requires.ts";
import type { Certificates } from "../../core/testing/services/certificates.test-support.ts";
import { startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { canMountLayers } from "./storage-driver.test-support.ts";
import { TestEngine } from "./test-engine.test-support.ts";

/** A test function for tests that need Docker's own engine, and the shell of busybox for images. */
export function dockerTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const commands = ["dockerd", "containerd", "runc", "busybox", ...more];
	return requires(test, { command: commands.find((command) => missing({ command }) !== undefined) ?? "dockerd", root: true }).test;
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
		const server = await startServerProcess("dockerd", args, { ready: /API listen on .*engine\.sock/ });
		const docker = new Docker(directory, server, await TestEngine.openLine(directory));
		await docker.#countStarts();
		await docker.addBusybox();
		return docker;
	}

	/** Where it listens with TLS. */
	get secureHost(): string {
		return `tcp://${/API listen on (127\.0\.0\.1:\d+)/.exec(this.log())?.[1]}`;
	}

	/** It remembers few events: they are counted as they come. */
	async accepted(): Promise<number> {
		return this.#started;
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
