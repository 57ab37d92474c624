import type { KeyValueEntity, Options } from "../../contract/index.ts";
import { SvcError, toErrorMessage } from "../../contract/index.ts";
import type { Authority } from "../../kernel/basics/authority.ts";
import { type EngineClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { assertSeen } from "../../kernel/basics/names.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { parseCipherText } from "../../kernel/secrets/cipher-text.ts";
import type { KeyRing } from "../../kernel/secrets/key-ring.ts";
import type { Leasing } from "../../kernel/work/leasing.ts";
import { mask } from "../../language/parameters/mask.ts";
import type { Access } from "../access/access-api.ts";
import { type ItemAddress, type ItemWhere, parseScope, toAddress, toItemResource, toOwner, toVisibleName } from "./item-address.ts";
import { createItemStore, type ItemContent, type ItemStoreParts } from "./item-store.ts";
import type { DatastoreItems, ItemInput, ValueForm } from "./items-api.ts";
import { listItems } from "./list-items.ts";
import { type RotationReport, rotateKeys } from "./rotation.ts";
import { type ShownItem, toMasked, toShown } from "./shown-item.ts";
import { createSweep } from "./sweep.ts";
import { createTemplateAccess } from "./template-access.ts";

export interface DatastoreParts extends ItemStoreParts {
	readonly leasing: Leasing;
	readonly options: Options;
	readonly access: Access;
	readonly authority: Authority;
	readonly clock: EngineClock;
	readonly keys: KeyRing;
	/** Absolute path of the key file. */
	readonly keyFile: string;
}

/** Longest life of an item, 100 years in seconds. */
const longestTtl = 3_153_600_000;

export function createDatastoreItems(parts: DatastoreParts): DatastoreItems {
	const { storage, clock, access, authority, logger, options, keys } = parts;
	const store = createItemStore(parts);
	const sweep = createSweep(parts);
	const templateParts = { store, keys, access, authority, logger };
	const stopping = new AbortController();
	let rotating: Promise<RotationReport> | undefined;

	const addressOf = (name: string, where: ItemWhere, principal: Principal) => toAddress(name, where, principal, access);

	function show(item: KeyValueEntity, form: ValueForm, { username }: Principal): ShownItem {
		if (!item.secret || form === "masked") return toMasked(item);
		if (form === "stored") return toShown(item, item.value);
		const value = keys.decrypt(item.value, item);
		logger.info("datastore item decrypted", { user: username, key: item.name, scope: item.scope });
		return toShown(item, value, true);
	}

	/** Before it becomes the value of another item: whoever gives cipher text must be allowed what it was made of. */
	async function assertMayImport(value: string, principal: Principal): Promise<void> {
		if (!principal.isAdmin) {
			throw new SvcError("SVC_FORBIDDEN", "encrypted: only administrators may give values that are encrypted already");
		}
		const bound = parseCipherText(value)?.address;
		// Older cipher texts name no item; of those that are kept here it is known whose they are.
		const sources = bound === undefined ? await storage.find("key_value", { where: { value, secret: true } }) : [bound];
		for (const { user } of sources) toOwner({ user }, principal, access);
	}

	function toContent(input: ItemInput, before: KeyValueEntity | undefined, address: ItemAddress): ItemContent {
		const { value, description = null, ttl } = input;
		const secret = input.secret === true || input.encrypted === true;
		if (value === mask && (secret || before?.secret === true)) {
			throw new SvcError("SVC_INVALID", `value: "${mask}" stands for a hidden value; give the value itself`);
		}
		// Verified, and kept with the key that is used for new ones, for this item.
		const clear = input.encrypted === true ? keys.decrypt(value, parseCipherText(value)?.address ?? address) : value;
		const expiry = ttl === undefined || ttl === null ? null : toTimestamp(clock.now() + checkTtl(ttl) * 1_000_000);
		return { value: secret ? keys.encrypt(clear, address) : clear, secret, description, expire_timestamp: expiry };
	}

	/** Items of the system the principal may view, or those of a user that `toOwner` has let it name. */
	function listHalf(user: string | null, query: Parameters<DatastoreItems["list"]>[0], principal: Principal) {
		const isAllowed = (item: KeyValueEntity) => user !== null || access.allows(principal, "key_value_pair_view", toItemResource(item));
		const scope = user === null ? "svckv.system" : "svckv.user";
		return listItems(storage, { scope, user, query, isShown: (item) => store.isLive(item) && isAllowed(item) });
	}

	return {
		resource: (name, where, principal) => toItemResource(addressOf(name, where, principal)),
		async list(query, principal) {
			const { form = "masked" } = query;
			const owner = toOwner(query, principal, access);
			if (form === "decrypted" && owner === null) assertMayDecrypt(principal);
			const isAll = owner === null && parseScope(query.scope) === "all";
			const halves = isAll ? [null, toOwner({ scope: "user" }, principal, access)] : [owner];
			const items: KeyValueEntity[] = [];
			for (const user of halves) items.push(...(await listHalf(user, query, principal)));
			return items.map((item) => show(item, form, principal));
		},
		async get(name, { form = "masked", ...where }, principal) {
			const address = addressOf(name, where, principal);
			if (form === "decrypted" && address.user === null) assertMayDecrypt(principal);
			const item = await store.find(address);
			if (item === undefined) throw notFound(address);
			return show(item, form, principal);
		},
		async set(name, input, principal) {
			assertSeen("name", name);
			const address = addressOf(name, input, principal);
			if (input.encrypted === true) await assertMayImport(input.value, principal);
			const item = await store.set(address, (before) => toContent(input, before, address));
			logger.info("datastore item set", { user: principal.username, key: item.name, scope: item.scope });
			return toMasked(item);
		},
		async remove(name, where, principal) {
			const address = addressOf(name, where, principal);
			if (!(await store.remove(address))) throw notFound(address);
			logger.info("datastore item deleted", { user: principal.username, key: address.name, scope: address.scope });
		},
		async rotate(rotation, principal) {
			if (!principal.isAdmin) throw new SvcError("SVC_FORBIDDEN", "only administrators may rotate the encryption key");
			logger.info("rotation of the encryption key asked for", { user: principal.username });
			rotating ??= rotateKeys({ storage, store, keys, logger, signal: stopping.signal }, rotation).finally(() => {
				rotating = undefined;
			});
			return rotating;
		},
		accessFor: (username, author) => createTemplateAccess(templateParts, { username, author }),
		accessForGiven: (username, giver) => createTemplateAccess(templateParts, { username, ...giver, isGiven: true }),
		clearAccessFor: (username, purpose) => createTemplateAccess(templateParts, { username, purpose }),
		async start() {
			// A second key would be of no use where secrets are kept already: they need the one that is missing.
			if (options.keyvalue.enable_encryption && keys.currentId === undefined) await createFirstKey();
			const problem = keys.problem();
			if (problem !== undefined) logger.warn("secrets of the datastore", { problem });
			sweep.start();
		},
		async stop() {
			stopping.abort(new SvcError("SVC_UNAVAILABLE", "the service stops; the next rotation finishes this one"));
			await rotating?.catch(() => undefined);
			await sweep.stop();
		},
	};

	async function createFirstKey(): Promise<void> {
		if ((await storage.count("key_value", { secret: true })) > 0) return;
		try {
			keys.create();
		} catch (error) {
			logger.warn("key file of the datastore cannot be made", { error: toErrorMessage(error) });
		}
	}
}

function assertMayDecrypt({ username, isAdmin }: Principal): void {
	if (!isAdmin)
		throw new SvcError("SVC_FORBIDDEN", `decrypt: needs administrator access for items of the system, which "${username}" has not`);
}

function checkTtl(ttl: number): number {
	if (Number.isInteger(ttl) && ttl >= 1 && ttl <= longestTtl) return ttl;
	throw new SvcError("SVC_INVALID", `ttl: must be a whole number of seconds from 1 to ${longestTtl}`);
}

function notFound(address: ItemAddress): SvcError {
	const { scope, user } = address;
	const owner = user === null ? "" : ` of user "${user}"`;
	return new SvcError("SVC_NOT_FOUND", `datastore item "${toVisibleName(address)}"${owner} in scope ${scope} cannot be found`);
}
