import { constants, open, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, sep } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

export interface Attachment {
	readonly name: string;
	readonly content: Buffer;
}

/** Maximum total size in bytes of a mail's attachments. More would fill the service's memory, and mail systems refuse it. */
const maxBytes = 32 * 1024 * 1024;

/** Reads the files of a list. The permission to send a mail must not include access to all files of the service. */
export async function readAttachments(list: string, directories: readonly string[]): Promise<readonly Attachment[]> {
	const attachments: Attachment[] = [];
	let room = maxBytes;
	for (const path of list.split(",").map((entry) => entry.trim())) {
		if (path === "") continue;
		const content = await readAttachment(path, directories, room);
		room -= content.length;
		attachments.push({ name: basename(path), content });
	}
	return attachments;
}

async function readAttachment(path: string, directories: readonly string[], room: number): Promise<Buffer> {
	if (!isAbsolute(path) || path.includes("\0")) throw refused(path, "is not an absolute path");
	// `O_NONBLOCK`: opening a pipe without a writer would block.
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	// Same message as for a file in another directory; otherwise callers could find out which files exist.
	if (handle === undefined) throw notAllowed(path);
	try {
		const file = await handle.stat();
		// Compare the opened file with the path's current target, which may have been replaced.
		const real = await realpath(path);
		const found = await stat(real);
		const isSame = found.ino === file.ino && found.dev === file.dev;
		if (!isSame || !file.isFile() || !(await isInside(real, directories))) throw notAllowed(path);
		if (file.size > room) throw refused(path, `makes the attachments larger than ${maxBytes / 1024 / 1024} MiB`);
		return await handle.readFile();
	} finally {
		await handle.close();
	}
}

async function isInside(real: string, directories: readonly string[]): Promise<boolean> {
	for (const directory of directories) {
		const root = await realpath(directory).catch(() => undefined);
		if (root !== undefined && real.startsWith(root.endsWith(sep) ? root : root + sep)) return true;
	}
	return false;
}

function notAllowed(path: string): SvcError {
	return refused(path, "is not a readable file in a directory of mail.attachment_directories");
}

function refused(path: string, why: string): SvcError {
	return new SvcError("SVC_INVALID", `attachment "${path.slice(0, 200)}" ${why}`);
}
