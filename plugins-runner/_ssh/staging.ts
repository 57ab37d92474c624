import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { SFTPWrapper } from "ssh2";
import { SvcError } from "../../core/contract/index.ts";

/** What a script action takes to a host. */
export interface StagedFiles {
	readonly directories: readonly string[];
	readonly files: readonly { readonly path: string; readonly content: Buffer; readonly mode: number }[];
	/** Path of the script among them. */
	readonly script: string;
}

/** Files that are on their way at once: a round trip each would add up. */
const atOnce = 16;

/** Read the script, and the directory `lib` beside it where there is one. Once for all hosts. */
export async function readStagedFiles(entryPoint: string): Promise<StagedFiles> {
	if (entryPoint === "") throw new SvcError("SVC_RUNNER", "the action has no entry point; a script action must name a file");
	const content = await readFile(entryPoint).catch((error: unknown) => {
		throw new SvcError("SVC_RUNNER", `entry point "${entryPoint}" does not exist or is not a file that can be read`, { cause: error });
	});
	const script = basename(entryPoint);
	const library = join(dirname(entryPoint), "lib");
	const found = { directories: [] as string[], files: [{ path: script, content, mode: 0o744 }] };
	if (await isDirectory(library)) await readDirectory(library, "lib", found);
	return { ...found, script };
}

/**
 * Put the files into a directory of the host that must not exist: in a directory that others can write to as well, somebody
 * could have put one there. `signal` ends it between two files.
 */
export async function upload(sftp: SFTPWrapper, directory: string, staged: StagedFiles, signal: AbortSignal): Promise<void> {
	const makeDirectory = promisify<string, { mode: number }, void>(sftp.mkdir.bind(sftp));
	await makeDirectory(directory, { mode: 0o700 });
	for (const path of staged.directories) await makeDirectory(`${directory}/${path}`, { mode: 0o755 });
	const waiting = [...staged.files];
	const worker = async () => {
		for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
			signal.throwIfAborted();
			await writeFile(sftp, `${directory}/${file.path}`, file);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
}

async function writeFile(sftp: SFTPWrapper, path: string, { content, mode }: StagedFiles["files"][number]): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		sftp.writeFile(path, content, { mode, flag: "wx" }, (error) => (error ? reject(error) : resolve()));
	});
	// The mode at creation went through the host's mask.
	await new Promise<void>((resolve, reject) => {
		sftp.chmod(path, mode, (error) => (error ? reject(error) : resolve()));
	});
}

async function readDirectory(
	directory: string,
	path: string,
	found: { readonly directories: string[]; readonly files: StagedFiles["files"][number][] },
): Promise<void> {
	found.directories.push(path);
	for (const entry of await readdir(directory, { withFileTypes: true })) {
		const [source, target] = [join(directory, entry.name), `${path}/${entry.name}`];
		// A link to a directory could lead in a circle, or out of the pack.
		if (entry.isDirectory()) await readDirectory(source, target, found);
		else if ((await stat(source).catch(() => undefined))?.isFile()) {
			found.files.push({ path: target, content: await readFile(source), mode: (await stat(source)).mode & 0o777 });
		}
	}
}

async function isDirectory(path: string): Promise<boolean> {
	return stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
}
