import { reserveText } from "./wasm-memory.ts";

/**
 * Memory in pieces of one size that is used again: what is left to be collected waits for that, and a flood takes more meanwhile
 * than all else the service holds.
 */
export class Rooms {
	readonly size: number;
	readonly #most: number;
	readonly #spare: Buffer[] = [];
	/** The same of those in the memory of functions, which are never given back. */
	readonly #reserved: Buffer[] = [];
	#unreserved: number;

	/** @param most pieces that wait to be used again; the first `reserved` of them are where functions of WebAssembly find them */
	constructor({ size, most, reserved = 0 }: { readonly size: number; readonly most: number; readonly reserved?: number }) {
		this.size = size;
		this.#most = most;
		this.#unreserved = reserved;
	}

	/** Held by whoever takes it. What is in it is of no meaning. */
	take(): Room {
		const reserved = this.#reserved.pop() ?? this.#reserve();
		if (reserved !== undefined) return new Room(reserved, (bytes) => this.#reserved.push(bytes));
		return new Room(this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.size), (bytes) => {
			if (this.#spare.length < this.#most) this.#spare.push(bytes);
		});
	}

	#reserve(): Buffer | undefined {
		if (this.#unreserved === 0) return undefined;
		this.#unreserved -= 1;
		return reserveText(this.size);
	}
}

/** A piece of memory, there for as long as somebody holds it. */
export class Room {
	#bytes: Buffer | undefined;
	#holders = 1;
	readonly #onEmpty: (bytes: Buffer) => void;

	constructor(bytes: Buffer, onEmpty: (bytes: Buffer) => void) {
		this.#bytes = bytes;
		this.#onEmpty = onEmpty;
	}

	get bytes(): Buffer {
		if (this.#bytes === undefined) throw new Error("memory was asked for after it had been let go of");
		return this.#bytes;
	}

	/** Keep it until `release`, beside those who hold it already. */
	hold(): void {
		this.#holders += 1;
	}

	/** Whether that was the last one. */
	release(): boolean {
		this.#holders -= 1;
		if (this.#holders > 0 || this.#bytes === undefined) return false;
		this.#onEmpty(this.#bytes);
		this.#bytes = undefined;
		return true;
	}
}
