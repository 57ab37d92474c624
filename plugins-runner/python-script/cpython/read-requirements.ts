import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { SvcError } from "../../../core/contract/index.ts";

/** Maximum number of requirements files of a pack, including nested ones, and their maximum total size in bytes. */
const maxFiles = 100;
const maxBytes = 1_000_000;
/** Options of requirements files that do not change the sources of packages. */
const plainOptions = new Set(["--pre", "--prefer-binary", "--require-hashes"]);
const valueOptions = new Set(["--only-binary", "--no-binary"]);
/** In an address, a revision must not begin with a minus, because git would parse it as an option. */
const addressPattern = /^(?:git\+)?https:\/\/(?:(?!@-)\S)+$/;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\])?\s*(?:$|[<>=!~;(@])/;

/** Packages that a pack requires, including those of nested files. */
export interface Requirements {
	/** Lines for `pip install -r`. */
	readonly wanted: readonly string[];
	/** Lines for `pip install -c`. */
	readonly constraints: readonly string[];
}

/** Files with the requirements of a pack's actions and sensors, and those with the additional requirements of its unit tests. */
export const ownRequirements: readonly string[] = ["requirements.txt"];
export const testRequirements: readonly string[] = [...ownRequirements, "requirements-tests.txt"];

/**
 * Reads the requirements files of a pack. Returns undefined if no file exists or all are empty. Throws `SVC_RUNNER` with the file and line
 * of a requirement that is not allowed.
 *
 * @param files names, in the order in which they are read
 */
export async function readRequirements(packDirectory: string, files = ownRequirements): Promise<Requirements | undefined> {
	const reader = new RequirementsReader(packDirectory);
	for (const file of files) await reader.read(join(packDirectory, file), "wanted");
	return reader.lines.wanted.length === 0 ? undefined : reader.lines;
}

class RequirementsReader {
	readonly lines = { wanted: [] as string[], constraints: [] as string[] };
	readonly #packDirectory: string;
	readonly #seen = new Set<string>();
	#bytes = 0;

	constructor(packDirectory: string) {
		this.#packDirectory = packDirectory;
	}

	/** Reads a file. Returns false if it does not exist. */
	async read(file: string, kind: keyof Requirements): Promise<boolean> {
		const text = await this.#readText(file, kind);
		if (text === undefined) return false;
		for (const { line, number } of toLines(text)) {
			try {
				await this.#take(line, dirname(file), kind);
			} catch (error) {
				// The error of an included file already contains its file and line.
				if (error instanceof PlacedError) throw error;
				throw new PlacedError(`${relative(this.#packDirectory, file)}, line ${number}: ${(error as Error).message}`);
			}
		}
		return true;
	}

	async #readText(file: string, kind: keyof Requirements): Promise<string | undefined> {
		if (this.#seen.has(`${kind} ${file}`)) return "";
		this.#seen.add(`${kind} ${file}`);
		if (this.#seen.size > maxFiles) throw new Error(`more than ${maxFiles} files are included`);
		try {
			const [root, real] = [await realpath(this.#packDirectory), await realpath(file)];
			if (!real.startsWith(root + sep)) throw new Error("is outside the pack");
			this.#bytes += (await stat(real)).size;
			if (this.#bytes > maxBytes) throw new Error(`the files have more than ${maxBytes} bytes in total`);
			return await readFile(real, "utf8");
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
			throw error;
		}
	}

	async #take(line: string, directory: string, kind: keyof Requirements): Promise<void> {
		const included = /^(-r|--requirement|-c|--constraint)(?:\s*=\s*|\s+|(?<=-[rc]))(\S.*)$/.exec(line);
		if (included === null) {
			checkLine(line);
			this.lines[kind].push(line);
			return;
		}
		const [, option = "", path = ""] = included;
		const next = option === "-c" || option === "--constraint" ? "constraints" : kind;
		if (/^\w[\w+.-]*:/.test(path)) throw new Error(`"${path}" is not a file of the pack`);
		const file = resolve(directory, path.trim());
		if (!file.startsWith(this.#packDirectory + sep)) throw new Error(`"${path}" is outside the pack`);
		if (!(await this.read(file, next))) throw new Error(`"${path}" does not exist`);
	}
}

class PlacedError extends SvcError {
	constructor(message: string) {
		super("SVC_RUNNER", message);
	}
}

/** Returns the lines without comments, with their line numbers. Lines that end with a backslash are joined with the next one. */
function toLines(text: string): readonly { readonly line: string; readonly number: number }[] {
	const lines: { line: string; number: number }[] = [];
	let open: { line: string; number: number } | undefined;
	for (const [index, raw] of text
		.replace(/^\uFEFF/, "")
		.split(/\r\n|\r|\n/)
		.entries()) {
		const continues = raw.endsWith("\\") && !/^\s*#/.test(raw);
		const part = continues ? raw.slice(0, -1) : raw;
		open = open === undefined ? { line: part, number: index + 1 } : { ...open, line: open.line + part };
		if (continues) continue;
		lines.push(open);
		open = undefined;
	}
	if (open !== undefined) lines.push(open);
	return lines.map(({ line, number }) => ({ line: line.replace(/(^|\s)#.*$/, "").trim(), number })).filter(({ line }) => line !== "");
}

/** Checks that a line names a package or an https address. Only the service may configure package indexes (`pip_arguments`). */
function checkLine(line: string): void {
	if (line.includes("\0")) throw new Error("a NUL character is not allowed");
	const [requirement = "", ...options] = line.split(/\s+(?=--)/);
	if (line.startsWith("-")) {
		const [name = "", value] = line.split(/[\s=]+/);
		if (plainOptions.has(name) && value === undefined) return;
		if (valueOptions.has(name) && value !== undefined && !value.startsWith("-")) return;
		const hint = name === "-e" || name === "--editable" ? "; write the URL without it" : "";
		throw new Error(`the option "${name}" is not allowed in a pack${hint}`);
	}
	for (const option of options) {
		if (!/^--hash[= ]\w+:[0-9a-f]+$/.test(option.trim())) throw new Error(`the option "${option.slice(0, 100)}" is not allowed in a pack`);
	}
	if (addressPattern.test(requirement)) return;
	if (!namePattern.test(requirement)) throw new Error(`"${requirement.slice(0, 100)}" is neither a package name nor an https URL`);
	const address = /@\s*(\S+)/.exec(requirement.split(";")[0] ?? "")?.[1];
	if (address !== undefined && !addressPattern.test(address)) throw new Error(`"${address.slice(0, 100)}" is not an https URL`);
}
