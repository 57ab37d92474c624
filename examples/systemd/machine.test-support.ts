import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { run } from "../../scripts/run.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cgroups = "/sys/fs/cgroup";

/**
 * Starts systemd as process 1 of a namespace with the files of this machine. Changes in `/etc`, `/opt` and `/var/lib` stay in
 * memory. The only units are the tested one and those that it refers to. The network is that of this machine.
 */
const begin = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
for directory in etc opt var/lib; do
	mkdir -p /run/over/$directory/up /run/over/$directory/work
	mount -t overlay overlay -o lowerdir=/$directory,upperdir=/run/over/$directory/up,workdir=/run/over/$directory/work /$directory
done
if [ -d ${cgroups}/systemd ]; then
	mount -t tmpfs cgroup ${cgroups}
	mkdir ${cgroups}/systemd
	mount -t cgroup -o none,name=systemd cgroup ${cgroups}/systemd
else
	mount -t cgroup2 cgroup ${cgroups}
fi
mount -t tmpfs tmpfs /usr/lib/systemd/system
for name in sysinit basic shutdown network-online multi-user; do
	printf '[Unit]\\nDefaultDependencies=no\\n' > /usr/lib/systemd/system/$name.target
done
mkdir -p /opt/svc/node_modules/svc-automation
mount --bind "$1" /opt/svc/node_modules/svc-automation
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=multi-user.target --log-target=null --show-status=no
`;

/** A machine with systemd for a test. Needs root. */
export class Machine {
	readonly #name = `svc-machine-${process.pid}`;
	#child: ChildProcess | undefined;
	/** Output of the start. systemd itself prints nothing. */
	#log = "";

	async start(): Promise<this> {
		for (const directory of await this.#cgroups()) await mkdir(directory).catch(() => undefined);
		const spaces = ["--pid", "--fork", "--kill-child", "--mount", "--uts", "--ipc", "--cgroup", "--mount-proc"];
		// In separate cgroups: systemd creates others below them, and `stop` removes all of them.
		const enter = `for directory in ${cgroups}/*/${this.#name} ${cgroups}/${this.#name}; do echo $$ > $directory/cgroup.procs || true; done 2> /dev/null`;
		const line = `${enter}; exec unshare ${spaces.join(" ")} bash -c '${begin.replaceAll("'", "'\\''")}' machine "$0"`;
		this.#child = spawn("bash", ["-c", line, root], { stdio: ["ignore", "pipe", "pipe"] });
		for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on("data", (piece) => void (this.#log += String(piece)));
		await until("systemd answers", 60, async () => {
			if (this.#child?.exitCode !== null) throw new Error(`systemd does not start: ${this.#log}`);
			return (await this.#enter(["systemctl", "show", "--property=Version"])).code === 0 || undefined;
		});
		return this;
	}

	/** Runs a command as root, and returns its output. */
	async run(...words: readonly string[]): Promise<string> {
		const { code, output } = await this.#enter(words);
		if (code !== 0) throw new Error(`${words.join(" ")}: ${code} ${output}`);
		return output.trim();
	}

	/** Returns a property of a unit. */
	async show(unit: string, property: string): Promise<string> {
		return this.run("systemctl", "show", unit, `--property=${property}`, "--value");
	}

	async stop(): Promise<void> {
		const child = this.#child;
		if (child !== undefined && child.exitCode === null && child.signalCode === null) {
			const ended = new Promise((resolve) => child.once("close", resolve));
			child.kill("SIGKILL");
			await ended;
		}
		await until("its cgroups are gone", 30, async () => {
			for (const directory of await this.#cgroups()) await removeTree(directory);
			const left = await Promise.all((await this.#cgroups()).map((directory) => readdir(directory).catch(() => undefined)));
			return left.every((names) => names === undefined) || undefined;
		});
	}

	async #enter(words: readonly string[]) {
		const [first] = (await readFile(`/proc/${this.#child?.pid}/task/${this.#child?.pid}/children`, "utf8").catch(() => "")).split(" ");
		if (!first) return { code: 1, output: "there is no process 1 yet" };
		return run("nsenter", ["--target", first, "--mount", "--pid", "--cgroup", ...words]);
	}

	/** Returns one directory for each cgroup hierarchy. */
	async #cgroups(): Promise<readonly string[]> {
		const kinds = (await readdir(cgroups)).includes("cgroup.controllers") ? [""] : await readdir(cgroups);
		return kinds.map((kind) => join(cgroups, kind, this.#name));
	}
}

/** Removes the directories of a cgroup. Its files cannot be removed separately. */
async function removeTree(directory: string): Promise<void> {
	const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
	await rmdir(directory).catch(() => undefined);
}
