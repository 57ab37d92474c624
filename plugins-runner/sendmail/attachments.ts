import { constants, open, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, sep } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

export interface Attachment {
	readonly name: string;
	readonly content: Buffer;
}

/** Most bytes of all attachments of a mail; more would fill the service's memory, and no mail system takes it. */
const mostBytes = 32 * 1024 * 1024;

/** The files of a list. Whoever may send a mail is not for that allowed to read every file of the service. */
export async function readAttachments(list: string, directories: readonly string[]): Promise<readonly Attachment[]> {
	const attachments: Attachment[] = [];
	let room = mostBytes;
	for (const path of list.split(",").map((entry) => entry.trim())) {
		if (path === "") continue;
		const content = await readAttachment(path, directories, room);
		room -= content.length;
		attachments.push({ name: basename(path), content });
	}
	return attachments;
}

async function readAttachment(path: string, directories: readonly string[], room: number): Promise<Buffer> {
	if (!isAbsolute(path) || path.includes("\0")) throw refused(path, "is no absolute path");
	// A pipe nobody writes to would keep the open waiting.
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	// The same words as for a file elsewhere: otherwise one could ask which files there are.
	if (handle === undefined) throw notAllowed(path);
	try {
		const file = await handle.stat();
		// What was opened, and not what the path leads to by now.
		const real = await realpath(path);
		const found = await stat(real);
		const isSame = found.ino === file.ino && found.dev === file.dev;
		if (!isSame || !file.isFile() || !(await isInside(real, directories))) throw notAllowed(path);
		if (file.size > room) throw refused(path, `makes the attachments larger than ${mostBytes / 1024 / 1024} MiB`);
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
	return refused(path, "is no file that can be read in a directory of mail.attachment_directories");
}

function refused(path: string, why: string): SvcError {
	return new SvcError("SVC_INVALID", `attachment "${path.slice(0, 200)}" ${why}`);
}
