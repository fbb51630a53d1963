"""Images: what is kept of them, what is remembered of each, and keeping one more."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from memory.api.images import file_of, thumbnail
from memory.models import Image, Right
from memory.write.images import Said, find_image, images, keep_image, memories_of
from memory.write.proposal import NAME_LIMIT, TEXT_LIMIT, InvalidInput, Proposal
from memory.write.queue import QueueTimeout
from memory.write.revise import NotFound

from .access import operating, seat
from .correction import REASON_LIMIT
from .keyset import paginate
from .log import users_of
from .pages import page

PAGE_SIZE = 24
MEMORIES_SHOWN = 50
BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")


class NewImage(forms.Form):
    """An image with what is said of it."""

    file = forms.FileField(label=gettext_lazy("Image"), max_length=300)
    user_id = forms.CharField(label=gettext_lazy("User"), max_length=NAME_LIMIT)
    caption = forms.CharField(label=gettext_lazy("Caption"), max_length=TEXT_LIMIT, required=False)
    transcript = forms.CharField(
        label=gettext_lazy("Text on it"), max_length=TEXT_LIMIT, required=False
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=REASON_LIMIT, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
def list_images(request):
    """GET: the images, newest first. POST: keep one more."""
    if request.method == "POST":
        return _keep(request)
    return _list_page(request, NewImage())


@require_safe
def one(request, image_id: UUID):
    """One image and what is remembered of it."""
    image = _found(request, image_id)
    context = {
        "image": image,
        "memories": list(memories_of(seat(request).scope, image)[:MEMORIES_SHOWN]),
        "crumbs": [(_("Images"), reverse("images")), (str(image), None)],
    }
    return page(request, "console/image.html", context)


@require_safe
def file(request, image_id: UUID):
    """The file as it came."""
    return _sent(file_of, request, image_id)


@require_safe
def small(request, image_id: UUID):
    """Its thumbnail."""
    return _sent(thumbnail, request, image_id)


@operating
def _keep(request):
    form = NewImage(request.POST, request.FILES)
    if form.is_valid():
        said = form.cleaned_data
        try:
            done = keep_image(
                seat(request).scope,
                said["file"].chunks(),
                Said(said["caption"], said["transcript"]),
                Proposal(user_id=said["user_id"]),
                name=said["file"].name,
                reason=said["reason"],
            )
        except InvalidInput as error:
            form.add_error(None, "; ".join(f"{name}: {told}" for name, told in error.errors))
        except QueueTimeout:
            form.add_error(None, BUSY)
        else:
            told = _("The image is kept.") if done.is_new else _("It was there already.")
            messages.success(request, told)
            return redirect("image", done.image.public_id)
    return _list_page(request, form, status=422)


def _list_page(request, form: NewImage, status: int = 200):
    scope = seat(request).scope
    found = paginate(images(scope), "-id", request.GET.get("cursor"), PAGE_SIZE)
    may_add = seat(request).membership.may(Right.OPERATE)
    context = {
        "page": found,
        "form": form if may_add else None,
        "users": users_of(scope) if may_add else (),
    }
    return page(request, "console/images.html", context, status=status)


def _sent(form, request, image_id: UUID):
    try:
        return form(_found(request, image_id))
    except NotFound as error:
        raise Http404 from error


def _found(request, image_id: UUID) -> Image:
    image = find_image(seat(request).scope, image_id)
    if image is None:
        raise Http404
    return image
