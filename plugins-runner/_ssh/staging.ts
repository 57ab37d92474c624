import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { SFTPWrapper } from "ssh2";
import { SvcError } from "../../core/contract/index.ts";

/** Files that a script action copies to a host. */
export interface StagedFiles {
	readonly directories: readonly string[];
	readonly files: readonly { readonly path: string; readonly content: Buffer; readonly mode: number }[];
	/** Path of the script within the files. */
	readonly script: string;
}

/** Number of concurrent uploads. Sequential uploads would wait for one round trip each. */
const atOnce = 16;

/** Reads the script, and the directory `lib` next to it if it exists. Called once for all hosts. */
export async function readStagedFiles(entryPoint: string): Promise<StagedFiles> {
	if (entryPoint === "") throw new SvcError("SVC_RUNNER", "entry_point: required, the file of the script");
	const content = await readFile(entryPoint).catch((error: unknown) => {
		throw new SvcError("SVC_RUNNER", `entry point "${entryPoint}" does not exist or is not a readable file`, { cause: error });
	});
	const script = basename(entryPoint);
	const library = join(dirname(entryPoint), "lib");
	const found = { directories: [] as string[], files: [{ path: script, content, mode: 0o744 }] };
	if (await isDirectory(library)) await readDirectory(library, "lib", found);
	return { ...found, script };
}

/**
 * Copies the files into a new directory of the host. The directory must not exist: in a shared parent directory, another user could have
 * created it. If the signal aborts, no further file is copied.
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
	// Set the mode again, because the host's umask was applied at creation.
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
		// Links to directories are not followed: they could form a cycle or lead outside the pack.
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
