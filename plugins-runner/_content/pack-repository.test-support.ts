import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { requires, type SkippableTest } from "../../core/testing/test-requirements.ts";

/** A pack in a git repository, and a directory of its own for temporary files, so that what is left behind shows. */
export class PackRepository {
	readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "svc content ")));
	readonly directory = join(this.#root, "pack");
	readonly dataDirectory = join(this.#root, "data");
	readonly #temporary = join(this.#root, "tmp");
	readonly #before = process.env["TMPDIR"];

	constructor() {
		for (const directory of [this.directory, this.#temporary]) mkdirSync(directory);
		process.env["TMPDIR"] = this.#temporary;
	}

	/** Write a file of the pack; its path. */
	write(path: string, text: string, mode = 0o755): string {
		const file = join(this.directory, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		chmodSync(file, mode);
		return file;
	}

	link(path: string, target: string): void {
		symlinkSync(target, join(this.directory, path));
	}

	git(...args: readonly string[]): string {
		const identity = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "init.defaultBranch=main"];
		return execFileSync("git", [...identity, ...args], { cwd: this.directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
	}

	/** Commit all there is, and name it. */
	commit(tag: string): void {
		if (!existsSync(join(this.directory, ".git"))) this.git("init", "--quiet");
		this.git("add", "--all");
		this.git("commit", "--quiet", "--message", tag);
		this.git("tag", tag);
	}

	/** Worktrees that are there, or that the repository knows of. */
	leftovers(): readonly string[] {
		const directories = readdirSync(this.#temporary).filter((name) => name.startsWith("svc-git-worktree-"));
		const known = this.git("worktree", "list", "--porcelain").match(/svc-git-worktree-\w+/g) ?? [];
		return [...new Set([...directories, ...known])];
	}

	remove(): void {
		if (this.#before === undefined) delete process.env["TMPDIR"];
		else process.env["TMPDIR"] = this.#before;
		rmSync(this.#root, { recursive: true });
	}
}

/** A test function for tests that need git. */
export function gitTest(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return requires(test, { command: "git" }).test;
}
