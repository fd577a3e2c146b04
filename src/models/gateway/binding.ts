// Owns what a gateway knows of an activation, with its model built.
import type { ModelBinding } from '../../protocol/model-binding.ts';
import type { Model } from '../model.ts';

export type Binding = ModelBinding & { readonly model: Model };
