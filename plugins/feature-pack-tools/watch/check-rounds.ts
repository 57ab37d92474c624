import type { PackCheck, PackOperations, PackTests } from "../../../core/cli.ts";
import { toErrorMessage } from "../../../core/contract/index.ts";
import { count, countErrors, toCheckLines } from "../check-report.ts";
import { toTestLines } from "../test-report.ts";

export interface RoundOptions {
	readonly packs: PackOperations;
	readonly directories: readonly string[];
	readonly config?: string | undefined;
	/** Directory that printed paths are relative to. */
	readonly base: string;
	/** Makes the service reload a pack and returns its message. Absent if no service is notified. */
	readonly reload?: (pack: string) => Promise<string>;
}

/** Result of one round of checks and tests. */
export interface Round {
	/** Lines to print: all results in the first round, later only differences. */
	readonly lines: readonly string[];
}

/** Checks and tests packs repeatedly and returns the differences from the previous round. */
export class CheckRounds {
	readonly #options: RoundOptions;
	#findings: readonly string[] = [];
	/** Lines of each test, by file and name. */
	#tests: ReadonlyMap<string, string> = new Map();

	constructor(options: RoundOptions) {
		this.#options = options;
	}

	async next(signal: AbortSignal): Promise<Round> {
		const { packs, directories, config } = this.#options;
		let checks: readonly PackCheck[];
		let tests: readonly PackTests[];
		try {
			checks = await packs.check({ directories, config, signal });
			tests = await packs.test({ directories, config, signal });
		} catch (error) {
			signal.throwIfAborted();
			// The cause may be temporary, such as a manifest that an editor is replacing.
			return { lines: [`not looked at: ${toErrorMessage(error)}`] };
		}
		const lines = [...this.#compareFindings(checks), ...this.#compareTests(tests), ...toSummary(checks, tests)];
		return { lines: [...lines, ...(await this.#reload(checks))] };
	}

	#compareFindings(checks: readonly PackCheck[]): readonly string[] {
		const before = this.#findings;
		this.#findings = checks.flatMap((check) => toCheckLines(check, this.#options.base));
		const gone = before.filter((line) => !this.#findings.includes(line));
		return [...this.#findings.filter((line) => !before.includes(line)), ...gone.map((line) => `gone: ${line}`)];
	}

	#compareTests(tests: readonly PackTests[]): readonly string[] {
		const before = this.#tests;
		const results = tests.flatMap(({ pack, results: all }) =>
			all.map((result) => [`${pack}/${result.file}: ${result.name}`, toTestLines(result).join("\n")] as const),
		);
		this.#tests = new Map(results);
		return results.filter(([name, text]) => before.get(name) !== text).map(([, text]) => text);
	}

	/** Reloads the packs that have no errors. The service would refuse a pack with errors. */
	async #reload(checks: readonly PackCheck[]): Promise<readonly string[]> {
		const { reload } = this.#options;
		if (reload === undefined) return [];
		const lines: string[] = [];
		for (const { pack, findings } of checks) {
			if (countErrors(findings) > 0) lines.push(`${pack}: not reloaded, because it has errors`);
			else lines.push(`${pack}: ${await reload(pack).catch((error: unknown) => `not reloaded: ${toErrorMessage(error)}`)}`);
		}
		return lines;
	}
}

function toSummary(checks: readonly PackCheck[], tests: readonly PackTests[]): readonly string[] {
	return checks.map(({ pack, directory, findings }) => {
		const errors = countErrors(findings);
		const results = tests.filter((one) => one.directory === directory).flatMap((one) => one.results);
		const failed = results.filter(({ problems }) => problems.length > 0).length;
		return `${pack}: ${count(errors, "error")}, ${count(findings.length - errors, "note")}; ${results.length - failed} of ${results.length} tests passed`;
	});
}
