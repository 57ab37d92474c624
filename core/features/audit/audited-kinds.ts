import type { EntityKind, EntityMap, PackEntity } from "../../contract/index.ts";

/** How changes of a kind of records are told. */
interface AuditedKind<E> {
	/** What people call the record. Never a value of it that may be secret. */
	ref(entity: E): string | null;
	/** Fields that the service keeps for itself: a change of nothing else is nobody's decision. */
	readonly own?: readonly (keyof E & string)[];
	/** What its name and the names of what changed do not say. */
	detail?(before: E | undefined, after: E | undefined): string | undefined;
}

const byRef = { ref: ({ ref }: { readonly ref: string }) => ref };

const kinds: { readonly [K in EntityKind]?: AuditedKind<EntityMap[K]> } = {
	token: { ref: ({ user }) => user },
	api_key: { ref: ({ user }) => user, own: ["last_used_at"] },
	user: { ref: ({ name }) => name },
	role_assignment: { ref: ({ user, role }) => `${role} of ${user}` },
	pack: { ...byRef, detail: tellVersions },
	runner_type: { ref: ({ name }) => name },
	action: byRef,
	action_alias: byRef,
	rule: byRef,
	policy: { ...byRef, own: ["turn"] },
	trigger_type: byRef,
	trigger: byRef,
	sensor: {
		...byRef,
		own: ["state", "state_changed_at", "restarts", "last_error", "next_start_at", "owner", "fence", "lease_expires_at"],
	},
	key_value: { ref: ({ user, name }) => (user === null ? name : `${user}:${name}`), own: ["updated_at"] },
};

/** What is said of a kind of records; undefined where its changes are not recorded. */
export function auditedKind(kind: EntityKind): AuditedKind<Readonly<Record<string, unknown>>> | undefined {
	return kinds[kind] as AuditedKind<Readonly<Record<string, unknown>>> | undefined;
}

/** Longest version that is told whole: it stands in a file of somebody else. */
const longestVersion = 40;

/** Which version a pack is, and which it was; the hash of its files says the same so that nobody can argue. */
function tellVersions(before: PackEntity | undefined, after: PackEntity | undefined): string | undefined {
	const [was, is] = [before, after].map((pack) => pack && tellVersion(pack));
	if (was === is) return undefined;
	if (was === undefined) return is;
	return is === undefined ? `was ${was}` : `${is}; was ${was}`;
}

function tellVersion({ version, content }: PackEntity): string {
	return `version ${version.slice(0, longestVersion)}${content === null ? "" : `, content ${content}`}`;
}
