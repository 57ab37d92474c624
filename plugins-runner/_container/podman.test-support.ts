import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { findCommand, missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";
import { canMountLayers } from "./storage-driver.test-support.ts";
import { TestEngine } from "./test-engine.test-support.ts";

const run = promisify(execFile);

/** A test function for tests that need a container engine: Podman with runc, and the shell of busybox for images. */
export function podmanTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const commands = ["podman", "runc", "busybox", ...more];
	return requires(test, { command: commands.find((command) => missing({ command }) !== undefined) ?? "podman", root: true }).test;
}

/** A real Podman. */
export class Podman extends TestEngine {
	#arguments: readonly string[] = [];

	static async start(): Promise<Podman> {
		const directory = await mkdtemp(join(tmpdir(), "svc-podman-"));
		await writeFile(join(directory, "containers.conf"), toConfiguration());
		await writeFile(join(directory, "registries.conf"), '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n');
		// Its command line, unlike its service, refuses a file that is not there.
		await writeFile(join(directory, "auth.json"), '{"auths": {}}\n');
		const own = toArguments(directory, (await canMountLayers(directory)) ? "overlay" : "vfs");
		const args = [...own, "--log-level", "info", "system", "service", "--time", "0", `unix://${join(directory, "engine.sock")}`];
		const serve = () => startServerProcess("podman", args, { env: toEnvironment(directory), ready: /API service listening/ });
		const podman = new Podman(directory, await serve(), await TestEngine.openLine(directory), serve);
		podman.#arguments = own;
		await podman.addBusybox();
		return podman;
	}

	/** What the command line of the engine does by itself, past the socket. */
	async runBare(command: readonly string[]): Promise<void> {
		const options = ["run", "--rm", "--network", "none", this.image];
		await run("podman", [...this.#arguments, ...options, ...command], { env: toEnvironment(this.directory) });
	}

	async accepted(): Promise<number> {
		const response = await this.client.stream({ method: "GET", path: "/events", query: { stream: "false" } });
		let text = "";
		for await (const piece of response) text += String(piece);
		return text.split("\n").filter((line) => line.includes('"status":"start"')).length;
	}

	/** With layers the directory of its images is mounted on itself. */
	protected override async unmount(): Promise<void> {
		await run("umount", [join(this.directory, "root", "overlay")]).catch(() => {});
	}
}

function toArguments(directory: string, driver: "overlay" | "vfs"): string[] {
	const at = (name: string) => join(directory, name);
	return ["--root", at("root"), "--runroot", at("run"), "--tmpdir", at("tmp"), "--storage-driver", driver, "--events-backend", "file"];
}

function toEnvironment(directory: string): NodeJS.ProcessEnv {
	const at = (name: string) => join(directory, name);
	// Nothing that whoever runs the tests has signed in to.
	const own = { CONTAINERS_REGISTRIES_CONF: at("registries.conf"), REGISTRY_AUTH_FILE: at("auth.json") };
	// Collecting garbage less often saves a tenth of its processor time.
	return { ...process.env, GOGC: "400", CONTAINERS_CONF: at("containers.conf"), ...own };
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
