// test-timeout: 900
// test-suite: full
import * as assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requires } from "svc-automation/testing";
import { test as plainTest } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { canMountLayers } from "../../plugins-runner/_container/storage-driver.test-support.ts";
import { isOffline, pack } from "../../scripts/packed/npm.test-support.ts";
import { smoke } from "../../scripts/packed/smoke.test-support.ts";
import { run } from "../../scripts/run.ts";
import { certificates, layOutBase } from "./base-image.test-support.ts";

const { skip } = plainTest;
const withBuildah = Object.assign(requires(plainTest, { command: "buildah" }).test, { skip });
const withRunc = Object.assign(requires(withBuildah, { command: "runc" }).test, { skip });
const withBusybox = Object.assign(requires(withRunc, { command: "busybox" }).test, { skip });
const { test } = requires(withBusybox, { command: "podman" });

/** Path of the command in the image. */
const command = "/opt/svc/node_modules/svc-automation/dist/plugins/_shipped/main.js";

/** npm cache of this machine for the build of the image. Fetching all packages again would take most of the test. */
const cache = "/npm-cache";

/** Container engine with images and containers of this test only. */
class Engine {
	readonly #directory: string;
	readonly #store: readonly string[];
	readonly #runtime = ["--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "none"] as const;

	private constructor(directory: string, driver: "overlay" | "vfs") {
		this.#directory = directory;
		this.#store = ["--root", join(directory, "store"), "--runroot", join(directory, "run"), "--storage-driver", driver];
	}

	static async create(directory: string): Promise<Engine> {
		return new Engine(directory, (await canMountLayers(directory)) ? "overlay" : "vfs");
	}

	/** Removes the container, if it exists, and all images. If images have layers, their directory is mounted on itself. */
	async remove(name: string): Promise<void> {
		await this.podman("rm", "-f", "-i", name).catch(() => undefined);
		await run("umount", [join(this.#directory, "store/overlay")]);
		await rm(this.#directory, { recursive: true, force: true });
	}

	async buildah(...args: string[]): Promise<string> {
		return this.#run("buildah", [...this.#store, ...args]);
	}

	async podman(...args: string[]): Promise<string> {
		return this.#run("podman", [...this.#store, ...this.#runtime, ...args]);
	}

	/** Returns the program and the arguments that run a command in a container. */
	toExec(name: string, words: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
		return { file: "podman", args: [...this.#store, ...this.#runtime, "exec", name, ...words] };
	}

	async #run(command: string, args: readonly string[]): Promise<string> {
		const { code, output } = await run(command, args);
		if (code !== 0) throw new Error(`${command} ${args.slice(6).join(" ")}: ${output}`);
		return output.trim();
	}
}

async function makeBase(engine: Engine, directory: string): Promise<void> {
	const root = join(directory, "base");
	await layOutBase(root);
	const container = await engine.buildah("from", "scratch");
	await engine.buildah("copy", "-q", container, `${root}/`, "/");
	const variables = [
		"PATH=/usr/bin:/bin",
		`NODE_EXTRA_CA_CERTS=${certificates}`,
		`npm_config_cache=${cache}`,
		"npm_config_prefer_offline=true",
		// Optional packages are half of the files. packed.test.ts installs all packages.
		"npm_config_optional=false",
	];
	await engine.buildah("config", ...variables.flatMap((variable) => ["--env", variable]), container);
	await engine.buildah("commit", "-q", container, "localhost/base");
	await engine.buildah("rm", container);
	await rm(root, { recursive: true, force: true });
}

/** Builds the image of the current package as the README describes. */
async function buildImage(engine: Engine, directory: string): Promise<void> {
	const context = join(directory, "context");
	await mkdir(context);
	for (const name of ["Containerfile", "svc.config.ts"]) await cp(join(import.meta.dirname, name), join(context, name));
	const tarball = (await pack(context)).split("/").at(-1);
	const packages = [`./context/${tarball}`, ...(await listOptional())].join(" ");
	const given = ["--build-arg", "BASE=localhost/base", "--build-arg", `PACKAGE=${packages}`];
	const { output } = await run("npm", ["config", "get", "cache"]);
	const volume = ["-v", `${output.trim().split("\n").at(-1)}:${cache}`];
	await engine.buildah("bud", "--isolation", "chroot", "-q", ...volume, ...given, "-t", "localhost/svc", context);
}

/** Optional packages for the database and for starting processes, each with an optional build for this machine. */
async function listOptional(): Promise<readonly string[]> {
	const { optionalDependencies } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
	const { libsql, koffi } = optionalDependencies as Readonly<Record<string, string>>;
	const { arch } = process;
	return [`libsql@${libsql}`, `@libsql/linux-${arch}-gnu@${libsql}`, `koffi@${koffi}`, `@koromix/koffi-linux-${arch}@${koffi}`];
}

test("the image runs as nobody in particular, on a root that may only be read, and its service runs actions", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-image-"));
	const engine = await Engine.create(directory);
	try {
		await makeBase(engine, directory);
		await buildImage(engine, directory);
		const [port, password] = [await findFreePort(), "a long password"];
		const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"];
		const shut = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--network", "host"];
		const given = ["-e", `SVC_ADMIN_PASSWORD=${password}`, "-e", `SVC_API_PORT=${port}`, "-v", "data:/data"];
		await engine.podman("run", "-d", "--name", "svc", ...limits, ...shut, ...given, "localhost/svc");
		const address = `http://127.0.0.1:${port}`;
		await until("the service is ready", 120, async () => {
			const answer = await fetch(`${address}/v1/health/ready`).catch(() => undefined);
			return answer?.ok || undefined;
		});
		const cmd = "id -u; touch /x; echo denied $?; while [ ! -e /data/seen ]; do sleep 0.1; done; echo done";
		const result = await smoke({
			svc: (words) => engine.toExec("svc", ["node", command, ...words, "--api-url", address]),
			...{ user: "admin", password },
			live: {
				words: ["core.local", `cmd=${cmd}`],
				said: ["denied 1", "done"],
				release: async () => void (await engine.podman("exec", "svc", "touch", "/data/seen")),
			},
		});
		assert.equal((result as { readonly stdout: string }).stdout, "10001\ndenied 1\ndone");
		await engine.podman("stop", "-t", "60", "svc");
		assert.equal(await engine.podman("inspect", "svc", "--format", "{{.State.ExitCode}}"), "0");
	} catch (error) {
		if (!isOffline(error) || process.env["CI"] === "true") throw error;
		process.stdout.write("skipped: the npm registry cannot be reached\n");
	} finally {
		await engine.remove("svc");
	}
});

plainTest.run();
