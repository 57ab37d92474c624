import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { promisify } from "node:util";
import { findCommand } from "../../core/testing/test-requirements.ts";
import { toArchive } from "./archive.ts";

const run = promisify(execFile);

/** A file system with busybox, a link for each of its commands, and two users. */
export async function createRootArchive(): Promise<Buffer> {
	const busybox = findCommand("busybox") ?? "/bin/busybox";
	const pieces: Buffer[] = [];
	for await (const piece of createReadStream(busybox)) pieces.push(piece as Buffer);
	const { stdout } = await run(busybox, ["--list"]);
	const names = stdout.split("\n").filter((name) => name !== "" && name !== "busybox");
	return toArchive([
		...["bin", "etc", "usr"].map((path) => ({ path, mode: 0o755 })),
		{ path: "tmp", mode: 0o1777 },
		{ path: "bin/busybox", mode: 0o755, content: Buffer.concat(pieces) },
		...names.map((name) => ({ path: `bin/${name}`, mode: 0o777, link: "busybox" })),
		{ path: "usr/bin", mode: 0o777, link: "../bin" },
		{ path: "etc/passwd", mode: 0o644, content: Buffer.from("root:x:0:0::/:/bin/sh\nsomebody:x:1000:1000::/:/bin/sh\n") },
	]);
}
