import type { EntityKind, EntityMap, PackEntity, TriggerEntity } from "../../core/contract/index.ts";
import { toSourceTitle } from "../../core/feature.ts";

/** Description of how changes to records of a kind are audited. */
interface AuditedKind<E> {
	/** Returns the name of the record that entries show. Must never contain a value that may be secret. */
	ref(entity: E): string | null;
	/** Returns the user who owns the record. Default: no user owns records of the kind. */
	owner?(entity: E): string;
	/** Fields that the service maintains itself. A change to only these fields is not a user's decision, and is not recorded. */
	readonly own?: readonly (keyof E & string)[];
	/** Returns details of a change beyond the record's name and the names of the changed fields. */
	detail?(before: E | undefined, after: E | undefined): string | undefined;
}

const byRef = { ref: ({ ref }: { readonly ref: string }) => ref };

const kinds: { readonly [K in EntityKind]?: AuditedKind<EntityMap[K]> } = {
	token: { ref: ({ user }) => user, owner: ({ user }) => user },
	api_key: { ref: ({ user }) => user, owner: ({ user }) => user, own: ["last_used_at"] },
	user: { ref: ({ name }) => name, owner: ({ name }) => name },
	role_assignment: { ref: ({ user, role }) => `${role} of ${user}`, owner: ({ user }) => user },
	pack: { ...byRef, detail: tellVersions },
	runner_type: { ref: ({ name }) => name },
	action: byRef,
	action_alias: byRef,
	rule: byRef,
	policy: { ...byRef, own: ["turn"] },
	trigger_type: byRef,
	trigger: { ...byRef, detail: tellTitles },
	sensor: {
		...byRef,
		own: ["state", "state_changed_at", "restarts", "last_error", "next_start_at", "owner", "fence", "lease_expires_at"],
	},
	key_value: { ref: ({ user, name }) => (user === null ? name : `${user}:${name}`), own: ["updated_at"] },
};

/** Returns how changes of a kind are audited. Returns undefined if they are not recorded. */
export function auditedKind(kind: EntityKind): AuditedKind<Readonly<Record<string, unknown>>> | undefined {
	return kinds[kind] as AuditedKind<Readonly<Record<string, unknown>>> | undefined;
}

/** Maximum characters of a recorded version. Longer ones are cut, because the author of a pack controls their length. */
const maxVersionLength = 40;

/** Describes the new and the previous version of a pack. Includes the hash of the files: different files may have the same version. */
function tellVersions(before: PackEntity | undefined, after: PackEntity | undefined): string | undefined {
	const [was, is] = [before, after].map((pack) => pack && tellVersion(pack));
	if (was === is) return undefined;
	if (was === undefined) return is;
	return is === undefined ? `was ${was}` : `${is}; was ${was}`;
}

function tellVersion({ version, content }: PackEntity): string {
	return `version ${version.slice(0, maxVersionLength)}${content === null ? "" : `, content ${content}`}`;
}

/**
 * Describes a webhook or a timer, whose ref is usually a UUID: `webhook hello`. Returns undefined for other triggers, because their
 * parameters may contain values of any kind.
 */
function tellTitles(before: TriggerEntity | undefined, after: TriggerEntity | undefined): string | undefined {
	const [was, is] = [before, after].map((trigger) => trigger && toSourceTitle(trigger));
	if (was === undefined || is === undefined || was === is) return is ?? was;
	return `${is}; was ${was}`;
}
