import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether layers of images can be mounted below a directory. Where they cannot, each container has a copy of its image, which takes long. */
export async function canMountLayers(directory: string): Promise<boolean> {
	const at = (name: string) => join(directory, "layers", name);
	for (const name of ["lower", "upper", "work", "merged"]) await mkdir(at(name), { recursive: true });
	const options = `lowerdir=${at("lower")},upperdir=${at("upper")},workdir=${at("work")}`;
	try {
		await run("mount", ["-t", "overlay", "overlay", "-o", options, at("merged")]);
		await run("umount", [at("merged")]);
		return true;
	} catch {
		return false;
	}
}
