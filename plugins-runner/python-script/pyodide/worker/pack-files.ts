import type { PyodideInterface } from "./interpreter.ts";

type Operation = (...values: readonly unknown[]) => unknown;
type Operations = Record<string, Operation | undefined>;

/** What the interpreter's file system has, as far as it is used here. */
interface FileSystem {
	readonly ErrnoError: new (errno: number) => Error;
	readonly filesystems: { readonly NODEFS: HostFiles };
	mkdirTree(path: string): void;
	mount(type: unknown, options: { readonly root: string }, path: string): void;
	chdir(path: string): void;
}

interface HostFiles {
	readonly node_ops: Operations;
	readonly stream_ops: Operations;
	convertNodeCode(error: unknown): number | undefined;
}

/** The errno numbers of the interpreter's system, not the machine's. */
const permissionDenied = 2;
const readOnlyFileSystem = 69;
const accessModes = 0o3;
const changes = 0o1100;

/** Show the pack to Python under its own path, to be read only, and go there. */
export function showPack(python: PyodideInterface, root: string, path: string): void {
	showDirectory(python, root, path);
	(python.FS as unknown as FileSystem).chdir(path);
}

/** Show a directory to Python under a path, to be read only. */
export function showDirectory(python: PyodideInterface, root: string, path: string): void {
	const files = python.FS as unknown as FileSystem;
	files.mkdirTree(path);
	files.mount(files.filesystems.NODEFS, { root }, path);
}

/** Refuse every change of the host's files as a read-only file system does. */
export function makeReadOnly(python: PyodideInterface): void {
	const { ErrnoError, filesystems } = python.FS as unknown as FileSystem;
	const { node_ops, stream_ops } = filesystems.NODEFS;
	const { convertNodeCode } = filesystems.NODEFS;
	// What the permission model says is unknown there, and would pass for success.
	filesystems.NODEFS.convertNodeCode = (error) => convertNodeCode(error) ?? permissionDenied;
	const refuse = () => {
		throw new ErrnoError(readOnlyFileSystem);
	};
	for (const name of ["setattr", "mknod", "rename", "unlink", "rmdir", "symlink"]) node_ops[name] = refuse;
	for (const name of ["setattr", "write"]) stream_ops[name] = refuse;
	const { open } = stream_ops;
	stream_ops["open"] = (stream, ...rest) => {
		const { flags } = stream as { readonly flags: number };
		if ((flags & accessModes) !== 0 || (flags & changes) !== 0) refuse();
		return open?.(stream, ...rest);
	};
}
