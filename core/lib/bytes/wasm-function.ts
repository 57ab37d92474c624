const valueTypes = { int32: 0x7f, vector: 0x7b } as const;

/** A WebAssembly function, as opcodes of the specification. */
export interface WasmFunction {
	readonly name: string;
	/** Number of 32-bit integer parameters. The function returns one 32-bit integer. */
	readonly parameters: number;
	/** Types of local variables. Their indices follow those of the parameters. */
	readonly locals: readonly (keyof typeof valueTypes)[];
	readonly code: readonly number[];
}

export interface WasmMemory {
	readonly buffer: ArrayBuffer;
}

/** The part of the WebAssembly API that is used here. The types of Node.js do not include it. */
interface WebAssemblyApi {
	readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
	readonly Module: new (code: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

const pageSize = 65_536;

/** Encodes a WebAssembly module with one exported function. It imports its memory as `memory` from the module `host`. */
export function encodeModule({ name, parameters, locals, code }: WasmFunction): Uint8Array {
	const int32s = Array.from({ length: parameters }, () => valueTypes.int32);
	const body = [locals.length, ...locals.flatMap((type) => [1, valueTypes[type]]), ...code];
	return Uint8Array.from([
		...[...Buffer.from("\0asm"), 1, 0, 0, 0],
		...encodeSection(1, [1, 0x60, parameters, ...int32s, 1, valueTypes.int32]),
		...encodeSection(2, [1, ...encodeName("host"), ...encodeName("memory"), 0x02, 0, 1]),
		...encodeSection(3, [1, 0]),
		...encodeSection(7, [1, ...encodeName(name), 0, 0]),
		...encodeSection(10, [1, ...encodeLength(body.length), ...body]),
	]);
}

/** Creates a memory of at least `bytes` bytes. Throws if WebAssembly is not available. */
export function createMemory(bytes: number): WasmMemory {
	return new (getWebAssembly().Memory)({ initial: Math.ceil(bytes / pageSize) });
}

/** Instantiates a module on a memory and returns its function. Throws if WebAssembly is not available. */
export function loadFunction<F>(module: Uint8Array, name: string, memory: WasmMemory): F {
	const { Module, Instance } = getWebAssembly();
	return new Instance(new Module(module), { host: { memory } }).exports[name] as F;
}

/** Returns a function that creates a value when it is first called. The function returns undefined if `create` has thrown. */
export function lazily<T>(create: () => T): () => T | undefined {
	let isCreated = false;
	let value: T | undefined;
	return () => {
		if (isCreated) return value;
		isCreated = true;
		try {
			value = create();
		} catch {
			// WebAssembly is not available, or its memory has no room.
		}
		return value;
	};
}

const getWebAssembly = () => (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
const encodeName = (text: string) => [text.length, ...Buffer.from(text)];
const encodeSection = (id: number, content: readonly number[]) => [id, ...encodeLength(content.length), ...content];

/** Encodes a length below 16,384 as LEB128, seven bits a byte. */
function encodeLength(length: number): number[] {
	return length < 128 ? [length] : [(length & 127) | 128, length >> 7];
}
