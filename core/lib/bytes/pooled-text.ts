import { withBulkyBytes } from "../../contract/index.ts";
import { Attached } from "../private-slot.ts";
import { Rooms } from "./buffer-pool.ts";

/** Bytes of a page. */
export const pageSize = 131_072;
/** Shorter texts cost less as strings. */
const shortest = 16_384;

/** Of all runs, and of all who follow one. */
const pages = new Rooms({ size: pageSize, most: 16, reserved: 32 });
const texts = new Attached<object, PagedText>();

/**
 * Text of a flood, each byte a character of ASCII, in memory that is used again once nobody holds it any more: as strings it would fill the
 * heap faster than it is collected.
 */
export class PagedText {
	readonly #page = pages.take();
	#length = 0;

	get length(): number {
		return this.#length;
	}

	get room(): number {
		return pageSize - this.#length;
	}

	/** There until the last holder has let go. */
	get bytes(): Buffer {
		return this.#page.bytes.subarray(0, this.#length);
	}

	/** A string of its own. */
	get text(): string {
		return this.#page.bytes.toString("latin1", 0, this.#length);
	}

	/** No more than there is room for; only before anybody else has got it. */
	add(bytes: Uint8Array): void {
		this.#page.bytes.set(bytes, this.#length);
		this.#length += bytes.length;
	}

	/** The same of a text, each character of which is a byte: without bytes of its own beside it, which would wait to be collected. */
	write(text: string): void {
		this.#length += this.#page.bytes.write(text, this.#length, "latin1");
	}

	/** Keep it until `release`, beside those who hold it already. Whoever has made it holds it. */
	hold(): void {
		this.#page.hold();
	}

	release(): void {
		this.#page.release();
	}
}

/** Makes a record with this text as its `data`: a string whenever somebody asks for it, and bytes for those who take them. */
export function withPagedText<T extends object>(members: T, paged: PagedText): T & { readonly data: string } {
	texts.set(members, paged);
	Object.defineProperty(members, "data", ownText);
	return withBulkyBytes(members, toOwnBytes) as T & { readonly data: string };
}

/** The same function for all records: with one of its own, each would be an object of which V8 looks up member by member. */
const ownText = {
	get(this: object) {
		return pagedTextOf(this).text;
	},
	enumerable: true,
};

function toOwnBytes(this: object): Uint8Array {
	return pagedTextOf(this).bytes;
}

function pagedTextOf(record: object): PagedText {
	return texts.get(record) as PagedText;
}

/** The same record with its text in a page, which the caller holds; undefined where a string is as good. */
export function toPaged<T extends { readonly data: string }>({
	data,
	...members
}: T): (Omit<T, "data"> & { readonly data: string }) | undefined {
	if (data.length < shortest || data.length > pageSize || Buffer.byteLength(data) !== data.length) return undefined;
	const paged = new PagedText();
	paged.write(data);
	return withPagedText(members, paged);
}

/** The text in a page that a record stands on; undefined where it is a string. */
export function findPagedText(record: object): PagedText | undefined {
	return texts.get(record);
}

/** The same record with a text that stays, whoever lets go of what. */
export function withOwnText<T extends object>(record: T): T {
	return findPagedText(record) === undefined ? record : { ...record };
}
