import type { ComponentChildren } from "preact";
import { escapeControlCharacters } from "../../../_shipped/client.ts";
import type { Resource } from "../kit/resource.ts";
import * as common from "../texts/common.ts";
import { Fault } from "./fault.tsx";

interface LoadedProps<T> {
	readonly resource: Resource<T>;
	/** Heading that is shown until the data is available. For components that fill the whole page. */
	readonly title?: string;
	readonly children: (value: T) => ComponentChildren;
}

/** Shows the data of a resource, a loading message or an error. If reading again fails, the error is shown above the previous data. */
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
			{value === undefined && error === undefined && <p class="loading">{common.loading}</p>}
		</>
	);
}
