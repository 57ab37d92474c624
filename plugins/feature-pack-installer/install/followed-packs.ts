import { type GitPack, type PackEntity, SvcError, type WriteOperation } from "../../../core/contract/index.ts";
import { createId, insertIfAbsent, toSourceText, toTimestamp, type Uses } from "../../../core/feature.ts";
import type { FollowedPackEntity } from "../entities.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import { isMeant } from "./pack-set.ts";

export interface FollowedPacksDependencies extends Uses<"storage" | "clock"> {
	/** Followed packs, as configured. */
	readonly packs: readonly GitPack[];
	parse(text: string): PackRequest;
}

/** Repository that the service follows, as configured. */
export interface FollowedSource {
	readonly pack: GitPack;
	readonly request: PackRequest;
}

/** Reads the state of the packs that the service follows, and keeps other installations from changing these packs. */
export class FollowedPacks {
	readonly #parts: FollowedPacksDependencies;

	constructor(parts: FollowedPacksDependencies) {
		this.#parts = parts;
	}

	/** Returns the followed source with this address, revision and subdirectory. Throws `SVC_INVALID` if it is not configured. */
	source(text: string): FollowedSource {
		const { packs, parse } = this.#parts;
		const pack = packs.find((one) => toSourceText(one) === text || parse(toSourceText(one)).text === text);
		if (pack === undefined) throw new SvcError("SVC_INVALID", "source: the configuration (packs) contains no such repository");
		return { pack, request: parse(toSourceText(pack)) };
	}

	/** Returns the record of each configured source that has one, sorted by source. */
	async list(): Promise<readonly FollowedPackEntity[]> {
		const { storage, packs, parse } = this.#parts;
		if (packs.length === 0) return [];
		const wanted = new Set(packs.map((pack) => parse(toSourceText(pack)).text));
		return (await storage.find("followed_pack", { orderBy: [["source", "asc"]] })).filter(({ source }) => wanted.has(source));
	}

	/** Returns the record of a followed source. Creates an empty record, with no pack and no commit, if there is none. */
	async known({ request: { text: source } }: FollowedSource): Promise<FollowedPackEntity> {
		const { storage, clock } = this.#parts;
		for (;;) {
			const [known] = await storage.find("followed_pack", { where: { source }, limit: 1 });
			if (known !== undefined) return known;
			const nothing = { pack: null, commit: null, reason: null, execution_id: null, tried_at: null, retry_at: null };
			const fresh = { id: createId(clock), source, state: "installing", checked_at: toTimestamp(clock.now()), ...nothing };
			await insertIfAbsent(() => storage.insert("followed_pack", [fresh]));
		}
	}

	/**
	 * Throws `SVC_INVALID` if the service follows one of the packs. The message names the repository.
	 *
	 * @param own id of the record whose installation is running; its pack is allowed
	 */
	async assertNone(packs: readonly string[], own?: string): Promise<void> {
		const found = (await this.list()).find(({ id, pack }) => id !== own && pack !== null && packs.includes(pack));
		if (found !== undefined) throw toRefusal(found);
	}

	/**
	 * Throws `SVC_INVALID` if a request names an installed pack that the service follows. It cannot detect packs whose ref is unknown
	 * before they are fetched.
	 */
	async assertNoneMeant(requests: readonly PackRequest[]): Promise<void> {
		const all = await this.list();
		const refs = all.flatMap(({ pack }) => pack ?? []);
		if (refs.length === 0) return;
		const installed = await this.#parts.storage.find("pack", { where: { ref: { in: refs } } });
		const meant = installed.find((pack) => requests.some((request) => isMeant(pack, request)));
		if (meant !== undefined) await this.assertNone([meant.ref]);
	}
}

/**
 * Returns the operation that assigns a pack to its followed source, for the write that installs the pack. After this write, no other
 * installation may change the pack.
 */
export function toClaim({ id }: FollowedPackEntity, pack: string): WriteOperation {
	return { update: "followed_pack", id, patch: { pack } };
}

/**
 * Throws `SVC_INVALID` if a followed repository takes the ref of another installed pack. Otherwise, any user who can push to the repository
 * could replace that pack.
 */
export function assertOwnName({ pack, source }: FollowedPackEntity, ref: string, known: PackEntity | undefined): void {
	if (pack === null || pack === ref || known === undefined) return;
	throw new SvcError(
		"SVC_INVALID",
		`pack "${ref}" has another source, and ${source} was pack "${pack}" before; the repository cannot change to this name`,
	);
}

function toRefusal({ pack, source }: FollowedPackEntity): SvcError {
	return new SvcError("SVC_INVALID", `pack: "${pack}" is synced from git (${source}): change it there`);
}
