import { type FollowedPackEntity, type GitPack, type PackEntity, SvcError, type WriteOperation } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { createId } from "../../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import { toSourceText } from "../followed-source-api.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import { isMeant } from "./pack-set.ts";

export interface FollowedPacksOptions extends Uses<"storage" | "clock"> {
	/** As the configuration has them. */
	readonly packs: readonly GitPack[];
	parse(text: string): PackRequest;
}

/** A repository that the configuration has the service follow. */
export interface FollowedSource {
	readonly pack: GitPack;
	readonly request: PackRequest;
}

/** What is known of the packs that the configuration has the service follow, and keeps others from changing them. */
export class FollowedPacks {
	readonly #parts: FollowedPacksOptions;

	constructor(parts: FollowedPacksOptions) {
		this.#parts = parts;
	}

	/** `SVC_INVALID` where the configuration does not name it. */
	source(text: string): FollowedSource {
		const { packs, parse } = this.#parts;
		const pack = packs.find((one) => toSourceText(one) === text || parse(toSourceText(one)).text === text);
		if (pack === undefined)
			throw new SvcError("SVC_INVALID", "source: the configuration (packs) has the service follow no such repository");
		return { pack, request: parse(toSourceText(pack)) };
	}

	/** How far each has come. */
	async list(): Promise<readonly FollowedPackEntity[]> {
		const { storage, packs, parse } = this.#parts;
		if (packs.length === 0) return [];
		const wanted = new Set(packs.map((pack) => parse(toSourceText(pack)).text));
		return (await storage.find("followed_pack", { orderBy: [["source", "asc"]] })).filter(({ source }) => wanted.has(source));
	}

	/** How far this one has come: nowhere, where nobody has looked at it yet. */
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
	 * `SVC_INVALID` when one of the packs is among those that are followed; the text says where.
	 *
	 * @param own id of the one whose installation this is
	 */
	async assertNone(packs: readonly string[], own?: string): Promise<void> {
		const found = (await this.list()).find(({ id, pack }) => id !== own && pack !== null && packs.includes(pack));
		if (found !== undefined) throw toRefusal(found);
	}

	/** The same for what somebody asks to be installed, as far as that can be told before it is fetched. */
	async assertNoneMeant(requests: readonly PackRequest[]): Promise<void> {
		const all = await this.list();
		const refs = all.flatMap(({ pack }) => pack ?? []);
		if (refs.length === 0) return;
		const installed = await this.#parts.storage.find("pack", { where: { ref: { in: refs } } });
		const meant = installed.find((pack) => requests.some((request) => isMeant(pack, request)));
		if (meant !== undefined) await this.assertNone([meant.ref]);
	}
}

/** The installation of a followed pack, as a part of its write: from then on nobody else may change the pack. */
export function toClaim({ id }: FollowedPackEntity, pack: string): WriteOperation {
	return { update: "followed_pack", id, patch: { pack } };
}

/** `SVC_INVALID` where a repository would take the name of a pack that has come from elsewhere: whoever may push there does not own that. */
export function assertOwnName({ pack, source }: FollowedPackEntity, ref: string, known: PackEntity | undefined): void {
	if (pack === null || pack === ref || known === undefined) return;
	throw new SvcError(
		"SVC_INVALID",
		`pack "${ref}" has come from elsewhere, and ${source} has been pack "${pack}": the repository cannot take its name`,
	);
}

function toRefusal({ pack, source }: FollowedPackEntity): SvcError {
	return new SvcError("SVC_INVALID", `pack: the service follows "${pack}" in git (${source}): change it there`);
}
