const valueTypes = { int32: 0x7f, vector: 0x7b } as const;

/** A function of WebAssembly in the numbers of its specification. */
export interface WasmFunction {
	readonly name: string;
	/** How many whole numbers it is given; it answers with one. */
	readonly parameters: number;
	/** Types of its local variables, which are counted on behind the parameters. */
	readonly locals: readonly (keyof typeof valueTypes)[];
	readonly code: readonly number[];
}

export interface WasmMemory {
	readonly buffer: ArrayBuffer;
}

/** The part of WebAssembly that is used: the types of Node have none of it. */
interface Wasm {
	readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
	readonly Module: new (code: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

const pageSize = 65_536;

/** A module with one function on a memory that it is given as `memory` of `host`. */
export function toModule({ name, parameters, locals, code }: WasmFunction): Uint8Array {
	const int32s = Array.from({ length: parameters }, () => valueTypes.int32);
	const body = [locals.length, ...locals.flatMap((type) => [1, valueTypes[type]]), ...code];
	return Uint8Array.from([
		...[...Buffer.from("\0asm"), 1, 0, 0, 0],
		...section(1, [1, 0x60, parameters, ...int32s, 1, valueTypes.int32]),
		...section(2, [1, ...toName("host"), ...toName("memory"), 0x02, 0, 1]),
		...section(3, [1, 0]),
		...section(7, [1, ...toName(name), 0, 0]),
		...section(10, [1, ...toLength(body.length), ...body]),
	]);
}

/** A memory of at least so many bytes. Throws where this machine, or what it lets run, cannot do it. */
export function createMemory(bytes: number): WasmMemory {
	return new (findWasm().Memory)({ initial: Math.ceil(bytes / pageSize) });
}

/** The function of such a module, on a memory. Throws as well. */
export function loadFunction<F>(module: Uint8Array, name: string, memory: WasmMemory): F {
	const { Module, Instance } = findWasm();
	return new Instance(new Module(module), { host: { memory } }).exports[name] as F;
}

const findWasm = () => (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
const toName = (text: string) => [text.length, ...Buffer.from(text)];
const section = (id: number, content: readonly number[]) => [id, ...toLength(content.length), ...content];

/** Seven bits to a byte. */
function toLength(length: number): number[] {
	return length < 128 ? [length] : [(length & 127) | 128, length >> 7];
}
