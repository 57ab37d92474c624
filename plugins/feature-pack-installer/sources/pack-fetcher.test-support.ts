import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Logger } from "../../../core/contract/index.ts";
import { type FetchedPack, PackFetcher } from "./pack-fetcher.ts";
import { PackIndex } from "./pack-index.ts";
import type { SourceSettings } from "./source-settings.ts";

export const logger: Logger = { error() {}, warn() {}, info() {}, debug() {} };

export const manifest = "name: disk\ndescription: Volume care.\nversion: 1.4.0\nauthor: Storage team\nemail: storage@example.org\n";

export interface BenchSettings extends Partial<Omit<SourceSettings, "limits">> {
	readonly limits?: Partial<SourceSettings["limits"]>;
}

/** Makes a repository without commits, as `git init` does. */
function writeRepository(directory: string): void {
	for (const name of ["objects", "refs/heads"]) mkdirSync(join(directory, name), { recursive: true });
	writeFileSync(join(directory, "HEAD"), "ref: refs/heads/main\n");
	writeFileSync(join(directory, "config"), "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n");
}

/** A place of its own for a test: what packs are fetched from, and what they are fetched into. */
export class SourceBench {
	readonly root = mkdtempSync(join(tmpdir(), "svc sources "));
	readonly into = join(this.root, "into");
	readonly lines: string[] = [];
	readonly settings: SourceSettings;
	readonly index: PackIndex;
	readonly sources: PackFetcher;

	constructor(settings: BenchSettings = {}) {
		mkdirSync(this.into);
		const limits = { size: 10_000_000, fileSize: 1_000_000, files: 1_000, seconds: 30, ...settings.limits };
		const ssh = { keyFile: "", hostKeyCheck: "strict", knownHosts: "/dev/null", usesAgent: false, configFile: "", connectTimeout: 5 };
		const defaults = { indexUrls: [], publicHost: "https://git.invalid", directories: [], credentialsFile: "", caFile: "" };
		const environment = { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"] };
		this.settings = { ...defaults, ssh, environment, ...settings, limits };
		this.index = new PackIndex({ settings: this.settings, logger, now: () => this.now });
		this.sources = new PackFetcher({ settings: this.settings, index: this.index, logger });
	}

	now = 0;

	/** Write a file below the bench; its path. */
	write(path: string, content: string | Uint8Array = "", mode = 0o644): string {
		const file = join(this.root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, content);
		chmodSync(file, mode);
		return file;
	}

	run(command: string, args: readonly string[], directory = this.root): string {
		return execFileSync(command, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
	}

	git(repository: string, ...args: readonly string[]): string {
		const author = ["user.name=tests", "user.email=tests@localhost"];
		// After a commit git would start more processes, to see whether the repository needs to be packed.
		const settings = [...author, "init.defaultBranch=main", "commit.gpgSign=false", "maintenance.auto=false", "gc.auto=0"];
		return this.run("git", [...settings.flatMap((setting) => ["-c", setting]), ...args], join(this.root, repository)).trim();
	}

	/** Commit all files of a repository, which is made when it is not there; the commit. */
	commit(repository: string, message = "one"): string {
		const directory = join(this.root, repository, ".git");
		if (!existsSync(directory)) writeRepository(directory);
		this.git(repository, "add", "--all");
		this.git(repository, "commit", "--quiet", "--allow-empty", "--message", message);
		// Without `git rev-parse`: a process takes a hundred times as long.
		const head = readFileSync(join(directory, "HEAD"), "utf8").trim();
		return head.startsWith("ref: ") ? readFileSync(join(directory, head.slice(5)), "utf8").trim() : head;
	}

	fetch(text: string, signal: AbortSignal = new AbortController().signal): Promise<FetchedPack> {
		return this.sources.fetch(this.sources.parse(text), { into: this.into, signal, emit: (line) => this.lines.push(line) });
	}

	latest({ source }: FetchedPack) {
		return this.sources.latest(source, { signal: new AbortController().signal });
	}

	/** What is left where packs are fetched into. */
	left(): readonly string[] {
		return readdirSync(this.into);
	}

	remove(): void {
		rmSync(this.root, { recursive: true, force: true });
	}
}

/** Run with a bench, which goes with everything in it. */
export async function withBench(run: (bench: SourceBench) => Promise<void>, settings?: BenchSettings): Promise<void> {
	const bench = new SourceBench(settings);
	try {
		await run(bench);
	} finally {
		bench.remove();
	}
}

/** Paths of all files of a directory, with an asterisk behind programs, and their content. */
export function filesOf(directory: string): Readonly<Record<string, string>> {
	const found: Record<string, string> = {};
	const walk = (folder: string) => {
		for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
			const path = join(folder, entry.name);
			if (entry.isDirectory()) walk(path);
			else if (!entry.isFile()) found[path] = "no plain file";
			else found[path + ((statSync(join(directory, path)).mode & 0o100) === 0 ? "" : "*")] = readFileSync(join(directory, path), "utf8");
		}
	};
	walk("");
	return found;
}
