import { constants as fileConstants } from "node:fs";
import { constants } from "node:os";
import type { loadPyodide, PyodideInterface } from "pyodide";

export type { PyodideInterface };

type PyodideModule = { readonly loadPyodide: typeof loadPyodide };
type LoadOptions = Parameters<typeof loadPyodide>[0];

const pageSize = 65_536;

/** Loads the interpreter from the module with this URL. */
export async function loadInterpreter(address: string, options: LoadOptions): Promise<PyodideInterface> {
	provideConstants();
	const { loadPyodide } = (await import(address)) as PyodideModule;
	return loadPyodide({ ...options, stdout: () => {}, stderr: () => {} });
}

/** Provides `process.binding`, from which the interpreter reads constants; the original is refused by Node's permission model. */
function provideConstants(): void {
	const binding = () => ({ fs: fileConstants, os: constants });
	Object.assign(process, { binding });
}

interface Memory {
	readonly buffer: ArrayBuffer;
	grow(this: Memory, pages: number): number;
}

/** Limits the memory of Python; beyond the limit Python raises MemoryError. Must be called before the interpreter is loaded. */
export function limitMemory(bytes: number): void {
	const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: { readonly Memory: { readonly prototype: Memory } } };
	const { prototype } = WebAssembly.Memory;
	const { grow } = prototype;
	prototype.grow = function (pages) {
		if (this.buffer.byteLength + Number(pages) * pageSize > bytes) throw new RangeError("the memory limit is reached");
		return grow.call(this, pages);
	};
}
