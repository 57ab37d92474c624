import { execFile } from "node:child_process";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import type { ServiceUnderTest, WireRecord } from "../../core/testing/http/service.test-support.ts";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";

// The service is in this process, and must not stand still meanwhile.
const run = promisify(execFile);

export interface BenchPlace {
	/** Directory for everything that is made. */
	readonly place: string;
	/** Interpreter that packs run with. */
	readonly python: string;
	readonly pipArguments: readonly string[];
	/** Packs that run with the packages of the interpreter; `*` for all. */
	readonly withoutVirtualenv: readonly string[];
}

export interface InstalledPack {
	readonly ref: string;
	/** A checkout for native runs. */
	readonly directory: string;
	/** With packages for native runs, where they could be had. */
	readonly packages: string;
}

/** A service, the packs that were installed into it, and checkouts of them to be run natively. */
export class PackBench {
	readonly service: ServiceUnderTest;
	readonly #at: BenchPlace;
	readonly #installed = new Map<string, InstalledPack>();

	constructor(service: ServiceUnderTest, at: BenchPlace) {
		this.service = service;
		this.#at = at;
	}

	get installed(): readonly InstalledPack[] {
		return [...this.#installed.values()];
	}

	get python(): string {
		return this.#at.python;
	}

	get place(): string {
		return this.#at.place;
	}

	pack(ref: string): InstalledPack | undefined {
		return this.#installed.get(ref);
	}

	/** Directory for files of cases. */
	files(side: "service" | "native"): string {
		return join(this.#at.place, side);
	}

	/** As an operator does it: the command with the address of the repository. What it says of a failure is told. */
	async install(name: string, repository: string): Promise<void> {
		const real = realpathSync(repository);
		const began = performance.now();
		const { exitCode, stdout, stderr } = await this.#svc("pack", "install", pathToFileURL(real).href, "--json");
		const seconds = ((performance.now() - began) / 1_000).toFixed(1);
		if (exitCode !== 0) {
			console.log(`not installed\t${name}\t${seconds} s\t${/"error": "(.*)"/.exec(stdout)?.[1]?.slice(-1_500) ?? stderr}`);
			return;
		}
		const { packs_list } = ((JSON.parse(stdout) as WireRecord)["result"] as { readonly output: { readonly packs_list: readonly string[] } })
			.output;
		for (const ref of packs_list.filter((ref) => !this.#installed.has(ref))) {
			const { version } = (await (await this.service.ask(`/v1/packs/${ref}`)).json()) as WireRecord;
			this.#installed.set(ref, await this.#checkOut(ref, real));
			console.log(`installed\t${ref} ${String(version)}\t${seconds} s`);
		}
	}

	/** Run an action until it has ended; the execution, or the refusal. */
	async execute(action: string, parameters: unknown): Promise<WireRecord> {
		const answer = await this.service.ask("/v1/executions", { method: "POST", body: JSON.stringify({ action, parameters }) });
		const created = (await answer.json()) as WireRecord;
		if (answer.status !== 201) return created;
		await this.service.ended(String(created["id"]));
		return (await (await this.service.ask(`/v1/executions/${created["id"]}`)).json()) as WireRecord;
	}

	async #svc(...words: readonly string[]) {
		const [stdout, stderr] = [new CapturedText(), new CapturedText()];
		const { urls, token } = this.service;
		const env = {
			HOME: this.#at.place,
			SVC_API_URL: urls.api,
			SVC_STREAM_URL: urls.stream,
			SVC_AUTH_URL: urls.auth,
			SVC_AUTH_TOKEN: token,
		};
		const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
		return { exitCode, stdout: stdout.text, stderr: stderr.text };
	}

	/** The files as they are committed, and what pip can find of what they require. */
	async #checkOut(ref: string, repository: string): Promise<InstalledPack> {
		const { place, python, pipArguments, withoutVirtualenv } = this.#at;
		const [directory, packages] = [join(place, "checkouts", ref), join(place, "packages", ref)];
		mkdirSync(directory, { recursive: true });
		await run("sh", ["-c", 'git -C "$0" archive HEAD | tar x -C "$1"', repository, directory]);
		const requirements = join(directory, "requirements.txt");
		if (!existsSync(requirements) || withoutVirtualenv.some((name) => name === ref || name === "*")) return { ref, directory, packages };
		const install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...pipArguments, "--target", packages];
		try {
			await run(python, [...install, "-r", requirements]);
		} catch {
			// The interpreter has them, or the action fails natively as well.
		}
		return { ref, directory, packages };
	}
}
