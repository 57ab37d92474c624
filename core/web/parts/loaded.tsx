import type { ComponentChildren } from "preact";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { Resource } from "../kit/resource.ts";
import { Fault } from "./fault.tsx";

interface LoadedProps<T> {
	readonly resource: Resource<T>;
	/** Where it is all of the page: its heading as long as there is nothing to show. */
	readonly title?: string;
	readonly children: (value: T) => ComponentChildren;
}

/** What was read, once it is there; else that it is on its way, or why it is not. What is there stays when reading it again fails. */
export function Loaded<T>({ resource, title, children }: LoadedProps<T>) {
	const { value: error } = resource.error;
	const { value } = resource.value;
	return (
		<>
			{value === undefined && title !== undefined && (
				<div class="page-head">
					<h1>{escapeControlCharacters(title)}</h1>
				</div>
			)}
			{error !== undefined && <Fault error={error} onRetry={() => void resource.reload()} />}
			{value !== undefined && children(value)}
			{value === undefined && error === undefined && <p class="loading">Loading …</p>}
		</>
	);
}
